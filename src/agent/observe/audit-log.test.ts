import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentHappening } from '../../contract/event.js';
import { noUsage } from '../usage.js';
import { createAuditLog } from './audit-log.js';
import { checkAudit, readAudit } from './read-audit.js';

const session = 'a-session';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'helve-audit-'));
const folderOf = (dataFolder: string): string => join(dataFolder, 'sessions', session);
const logOf = (dataFolder: string): string => join(folderOf(dataFolder), 'audit.jsonl');

function open(dataFolder: string, onProblem: (sentence: string) => void = (sentence) => expect.fail(sentence)) {
  return createAuditLog({ dataFolder, sessionId: session, root: '/project', onProblem });
}

const called = (callId: string, input: unknown = { command: 'make' }): AgentHappening => ({
  type: 'tool_call',
  callId,
  tool: 'Bash',
  input,
  display: { title: '' },
});

const decided = (callId: string): AgentHappening => ({
  type: 'permission_decision',
  callId,
  tool: 'Bash',
  decision: {
    behavior: 'allow',
    reason: 'the rule allows it',
    trail: [
      {
        about: '"make"',
        effect: 0,
        behavior: 'allow',
        because: 'the rule allows it',
        basis: 'allow_rule',
        rule: { text: 'Bash(make)', list: 'allow', file: '.helve/settings.json', line: 3 },
        decided: true,
      },
    ],
  },
});

const started = (callId: string): AgentHappening => ({ type: 'tool_start', callId, tool: 'Bash' });

const ended = (callId: string): AgentHappening => ({
  type: 'tool_result',
  callId,
  tool: 'Bash',
  result: { type: 'tool_result', tool_use_id: callId, content: 'done' },
  display: { title: '' },
});

const wholeCall = (callId: string): AgentHappening[] => [
  called(callId),
  decided(callId),
  started(callId),
  ended(callId),
];

function writtenLog(calls = 3, name = 'c'): string {
  const dataFolder = newFolder();
  const log = open(dataFolder);
  for (let number = 1; number <= calls; number += 1) for (const event of wholeCall(`${name}${number}`)) log.take(event);
  log.close();
  return dataFolder;
}

function check(dataFolder: string) {
  const text = readAudit(folderOf(dataFolder));
  if (!text) throw new Error('there is no log');
  return checkAudit(text);
}

const typesIn = (dataFolder: string): string[] => check(dataFolder).entries.map(({ type }) => type);

test('records the call, the decision with its rules, the start and the result', () => {
  const { entries, problems } = check(writtenLog(1));
  expect(problems).toEqual([]);
  expect(entries.map(({ hash: _, at: __, ...entry }) => entry)).toEqual([
    { n: 1, type: 'begin', session, root: '/project' },
    { n: 2, type: 'call', call: 'c1', tool: 'Bash', input: { command: 'make' } },
    {
      n: 3,
      type: 'decision',
      call: 'c1',
      tool: 'Bash',
      behavior: 'allow',
      reason: 'the rule allows it',
      basis: 'allow_rule',
      rules: ['allow Bash(make) (.helve/settings.json:3)'],
    },
    { n: 4, type: 'start', call: 'c1', tool: 'Bash' },
    {
      n: 5,
      type: 'result',
      call: 'c1',
      tool: 'Bash',
      ok: true,
      chars: 4,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    { n: 6, type: 'end' },
  ]);
});

test('writes no file if there was no call', () => {
  const dataFolder = newFolder();
  open(dataFolder).close();
  expect(readAudit(folderOf(dataFolder))).toBeUndefined();
});

test('a call is in the file before it starts, and everything is once no call is open', () => {
  const dataFolder = newFolder();
  const log = open(dataFolder);
  const [first, ...rest] = wholeCall('c1');
  for (const event of [first, called('c2')]) if (event) log.take(event);
  for (const event of rest.slice(0, 2)) log.take(event);
  expect(typesIn(dataFolder)).toEqual(['begin', 'call', 'call', 'decision', 'start']);
  log.take(ended('c1'));
  log.take(ended('c2'));
  expect(typesIn(dataFolder).slice(5)).toEqual(['result', 'result']);
  log.close();
});

test('only the owner can read the file', () => {
  const dataFolder = writtenLog();
  for (const name of ['audit.jsonl', 'audit.head']) {
    expect(statSync(join(folderOf(dataFolder), name)).mode & 0o777).toBe(0o600);
  }
  expect(statSync(folderOf(dataFolder)).mode & 0o777).toBe(0o700);
});

test('stores the beginning, the length and the hash of a long text', () => {
  const dataFolder = newFolder();
  const log = open(dataFolder);
  log.take(called('c1', { file_path: 'a', content: 'x'.repeat(5_000) }));
  log.take(called('c2', { texts: Array.from({ length: 100 }, () => 'y'.repeat(1_000)) }));
  log.take(called('c3', { number: 1n }));
  log.close();
  const [, long, large, odd] = check(dataFolder).entries;
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(long?.['input']).toEqual({
    file_path: 'a',
    content: { chars: 5_000, sha256: hash, start: 'x'.repeat(200) },
  });
  expect(large?.['input']).toEqual({ chars: 100_311, sha256: hash });
  expect(odd?.['input']).toEqual({ unwritable: expect.stringContaining('BigInt') });
});

test('continues the chain when the session is resumed', () => {
  const dataFolder = writtenLog(1);
  const log = open(dataFolder);
  for (const event of wholeCall('c2')) log.take(event);
  log.close();
  expect(check(dataFolder).problems).toEqual([]);
  expect(typesIn(dataFolder).slice(5, 8)).toEqual(['end', 'resume', 'call']);
});

test('reports once that it cannot be written, and calls continue', () => {
  const dataFolder = newFolder();
  writeFileSync(join(dataFolder, 'sessions'), 'a file where a folder should be');
  const told: string[] = [];
  const log = open(dataFolder, (sentence) => told.push(sentence));
  for (const event of [...wholeCall('c1'), ...wholeCall('c2')]) log.take(event);
  log.close();
  expect(told).toEqual([
    expect.stringContaining("The data folder can't be written. The audit log was not written: EEXIST"),
  ]);
});

test('entries that could not be written are written with the end of the turn, and not only with the next call', () => {
  const dataFolder = newFolder();
  writeFileSync(join(dataFolder, 'sessions'), 'a file where a folder should be');
  const log = open(dataFolder, () => {});
  for (const event of wholeCall('c1')) log.take(event);
  rmSync(join(dataFolder, 'sessions'));
  log.take({ type: 'turn_end', turn: 2, stopReason: null, usage: noUsage });
  expect(typesIn(dataFolder)).toEqual(['begin', 'call', 'decision', 'start', 'result']);
  log.close();
});

const linesOf = (dataFolder: string): string[] => readFileSync(logOf(dataFolder), 'utf8').split('\n').slice(0, -1);
const rewrite = (dataFolder: string, lines: readonly string[]): void =>
  writeFileSync(logOf(dataFolder), lines.map((line) => `${line}\n`).join(''));

test.each<[string, (lines: string[]) => string[], string]>([
  ['a changed line', (lines) => lines.with(2, (lines[2] ?? '').replace('allow', 'deny')), 'line 3 was changed'],
  ['a missing line', (lines) => lines.toSpliced(4, 1), "entry 5 can't be found"],
  ['missing lines', (lines) => lines.toSpliced(4, 3), "entries 5 to 7 can't be found"],
  ['a missing beginning', (lines) => lines.slice(2), "entries 1 to 2 can't be found"],
  [
    'moved lines',
    (lines) => [...lines.slice(0, 2), lines[3] ?? '', lines[2] ?? '', ...lines.slice(4)],
    'moved or repeated',
  ],
  ['a repeated line', (lines) => [...lines.slice(0, 4), lines[3] ?? '', ...lines.slice(4)], 'moved or repeated'],
  ['an added line', (lines) => [...lines.slice(0, 4), '{"n":5}', ...lines.slice(4)], 'line 5 is not an entry'],
  [
    'a missing end',
    (lines) => lines.slice(0, -3),
    'the end is missing: entry 14 was written, and the log ends with entry 11',
  ],
  ['no lines', () => [], 'the end is missing'],
])('detects %s', (_, change, message) => {
  const dataFolder = writtenLog();
  rewrite(dataFolder, change(linesOf(dataFolder)));
  expect(check(dataFolder).problems.join('\n')).toContain(message);
});

test('detects a log that was cut within a line, and lines of another log', () => {
  const cut = writtenLog();
  truncateSync(logOf(cut), statSync(logOf(cut)).size - 20);
  expect(check(cut).problems.join('\n')).toContain('line 14 has no end');

  const replaced = writtenLog();
  rewrite(replaced, linesOf(writtenLog(3, 'other')).slice(0, 14));
  expect(check(replaced).problems.join('\n')).toContain('entry 14 is not the one that was written');

  const spliced = writtenLog();
  rewrite(spliced, [...linesOf(writtenLog(3, 'other')).slice(0, 5), ...linesOf(spliced).slice(5)]);
  expect(check(spliced).problems.join('\n')).toContain('entry 6) does not fit the entry before it');
});

test('resuming the session does not hide that the end was cut off', () => {
  const dataFolder = writtenLog();
  rewrite(dataFolder, linesOf(dataFolder).slice(0, -3));
  const log = open(dataFolder);
  for (const event of wholeCall('later')) log.take(event);
  log.close();
  expect(check(dataFolder).problems.join('\n')).toContain("entries 12 to 14 can't be found");
});

test('continues after a crash in the middle of a line, and reports the line', () => {
  const dataFolder = writtenLog();
  appendFileSync(logOf(dataFolder), '{"n":15,"prev"');
  const log = open(dataFolder);
  for (const event of wholeCall('later')) log.take(event);
  log.close();
  expect(check(dataFolder).problems).toEqual(['line 15 is not an entry']);
  expect(typesIn(dataFolder).at(-1)).toBe('end');
});

test('reports that without audit.head a missing end cannot be detected', () => {
  const dataFolder = writtenLog();
  rmSync(join(folderOf(dataFolder), 'audit.head'));
  expect(check(dataFolder).problems).toEqual([expect.stringContaining('audit.head is missing')]);
});

test('detects a change of any single character', () => {
  const dataFolder = writtenLog();
  const whole = readFileSync(logOf(dataFolder), 'utf8');
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.constantFrom('0', 'x', '"', '\n'), (at, character) => {
      fc.pre(whole[at] !== character);
      writeFileSync(logOf(dataFolder), whole.slice(0, at) + character + whole.slice(at + 1));
      expect(check(dataFolder).problems).not.toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('stores inputs without secrets, with the hash of the whole input, and the answers', () => {
  const dataFolder = newFolder();
  const log = createAuditLog({ dataFolder, sessionId: session, root: '/project', secrets: ['ordinarywords'] });
  const input = { command: 'curl -H "Authorization: Bearer abcdef0123456789" x; echo ordinarywords' };
  log.take(called('a', input));
  log.answered({ callId: 'a', tool: 'Bash' }, { behavior: 'deny', reason: 'not now' });
  log.replied('b', [{ chosen: ['yes'], text: 'and ordinarywords' }]);
  log.close();
  const text = readAudit(folderOf(dataFolder));
  const { entries, problems } = checkAudit(text ?? { lines: [], isCut: false });
  expect(problems).toEqual([]);
  expect(JSON.stringify(entries)).not.toMatch(/abcdef0123456789|ordinarywords/);
  expect(entries).toMatchObject([
    { type: 'begin' },
    { type: 'call', input_sha256: createHash('sha256').update(JSON.stringify(input)).digest('hex') },
    { type: 'answer', call: 'a', tool: 'Bash', behavior: 'deny', reason: 'not now' },
    { type: 'answer', call: 'b', answers: [{ chosen: ['yes'], text: 'and [redacted: secret]' }] },
    { type: 'end' },
  ]);
});

test('stores the reason for a denial, without secrets', () => {
  const dataFolder = newFolder();
  const log = createAuditLog({ dataFolder, sessionId: session, root: '/p', secrets: ['hunter2hunter2'] });
  const content = 'Bash was not run: it runs "login hunter2hunter2", and nobody is here to be asked.';
  log.take(called('a'));
  log.take({
    type: 'tool_result',
    callId: 'a',
    tool: 'Bash',
    result: { type: 'tool_result', tool_use_id: 'a', content, is_error: true },
    failure: 'permission_denied',
    display: { title: '' },
  });
  log.close();
  const text = readFileSync(logOf(dataFolder), 'utf8');
  expect(text).toContain('and nobody is here to be asked.');
  expect(text).not.toContain('hunter2hunter2');
});
