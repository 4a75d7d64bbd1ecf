import { expect, test } from 'vitest';
import type { Effect } from '../../contract/effect.js';
import type { Message } from '../../contract/message.js';
import type { SeenFile } from '../../contract/tool-context.js';
import { createFileLedger } from '../../tools/editing/file-ledger.js';
import { ShownFiles, type StillSeen } from './shown-files.js';

const seenAt = (time: number): SeenFile => ({ hash: 'h', size: 1, at: new Date(time), lines: 'all' });
const file = (real: string, tree = false): Effect => ({ kind: 'file', access: 'read', path: real, real, tree });
const result = (id: string, content: string): Message => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
});

/** A stub: as many lines are still seen as there are texts. */
const countTexts: StillSeen = (_, { texts }) => (texts.length === 0 ? undefined : [[1, texts.length]]);

function shown() {
  const files = new ShownFiles(createFileLedger());
  const { ledger } = files;
  const isKnown = (...names: string[]): boolean[] => names.map((name) => ledger.get(name) !== undefined);
  return { ledger, files, isKnown };
}

test('forgets only the files that these calls showed, the latest first', () => {
  const { ledger, files, isKnown } = shown();
  for (const [index, name] of ['/a', '/b', '/c'].entries()) {
    files.note(`call ${name}`, [file(name)]);
    ledger.set(name, seenAt(index));
  }
  const forgotten = files.forget(['call /a', 'call /b', 'another'], [result('call /c', 'text')], countTexts);
  expect(forgotten.map(({ real }) => real)).toEqual(['/b', '/a']);
  expect(isKnown('/a', '/b', '/c')).toEqual([false, false, true]);
});

test('keeps lines that another call still shows of the file, and ignores calls that did not touch it', () => {
  const { ledger, files, isKnown } = shown();
  for (const id of ['first', 'second']) files.note(id, [file('/a')]);
  files.note('other', [file('/b')]);
  ledger.set('/a', seenAt(1));
  expect(files.forget(['first'], [result('second', 'text'), result('other', 'text')], countTexts)).toEqual([]);
  expect(ledger.get('/a')?.lines).toEqual([[1, 1]]);
  files.forget(['second'], [result('other', 'text')], countTexts);
  expect(isKnown('/a')).toEqual([false]);
});

test('takes the files that searches and commands have shown from the ledger', () => {
  const { ledger, files, isKnown } = shown();
  ledger.set('/a', seenAt(1));
  ledger.set('/b', seenAt(1), 'command');
  files.note('search', [file('/a', true)]);
  files.note('command', [{ kind: 'command', text: 'cat /a', harmless: true }, file('/a')]);
  expect(files.forget(['search', 'command'], [], countTexts).map(({ real }) => real)).toEqual(['/b']);
  expect(isKnown('/a', '/b')).toEqual([true, false]);
});

test('of a resumed session, any of its calls may have shown any of its files', () => {
  const { ledger, files, isKnown } = shown();
  files.restore({ callIds: ['old', 'older'], ledger: new Map([['/a', seenAt(1)]]) });
  files.note('new', [file('/b')]);
  ledger.set('/b', seenAt(2));
  expect(files.forget(['new'], [result('old', 'text')], countTexts).map(({ real }) => real)).toEqual(['/b']);
  expect(files.forget(['older'], [result('old', 'text')], countTexts)).toEqual([]);
  expect(isKnown('/a')).toEqual([true]);
  expect(files.forget(['old'], [], countTexts).map(({ real }) => real)).toEqual(['/a']);
  expect(files.forget(['old'], [], countTexts)).toEqual([]);
});
