import { expect, test } from 'vitest';
import type { Effect } from '../../contract/effect.js';
import type { SeenFile } from '../../contract/tool-context.js';
import { createFileLedger } from '../../tools/editing/file-ledger.js';
import { ShownFiles } from './shown-files.js';

const seenAt = (time: number): SeenFile => ({ hash: 'h', size: 1, at: new Date(time), lines: 'all' });
const file = (real: string, tree = false): Effect => ({ kind: 'file', access: 'read', path: real, real, tree });

function shown() {
  const ledger = createFileLedger();
  return { ledger, files: new ShownFiles(ledger) };
}

test('forgets what these calls showed, the latest first, and nothing else', () => {
  const { ledger, files } = shown();
  for (const [index, name] of ['/a', '/b', '/c'].entries()) {
    files.note(`call ${name}`, [file(name)]);
    ledger.set(name, seenAt(index));
  }
  expect(files.forget(['call /a', 'call /b', 'another']).map(({ real }) => real)).toEqual(['/b', '/a']);
  expect(['/a', '/b', '/c'].map((name) => ledger.get(name) !== undefined)).toEqual([false, false, true]);
});

test('what searches and commands print counts as nothing seen', () => {
  const { ledger, files } = shown();
  ledger.set('/a', seenAt(1));
  files.note('search', [file('/a', true)]);
  files.note('command', [{ kind: 'command', text: 'cat /a', harmless: true }, file('/a')]);
  expect(files.forget(['search', 'command'])).toEqual([]);
  expect(ledger.get('/a')).toBeDefined();
});

test('forgets all files of a resumed session with the first of its calls that goes, since nobody knows which it showed', () => {
  const { ledger, files } = shown();
  files.restore({ callIds: ['old'], ledger: new Map([['/a', seenAt(1)]]) });
  files.note('new', [file('/b')]);
  ledger.set('/b', seenAt(2));
  expect(files.forget(['new']).map(({ real }) => real)).toEqual(['/b']);
  expect(files.forget(['old']).map(({ real }) => real)).toEqual(['/a']);
  expect(files.forget(['old'])).toEqual([]);
});
