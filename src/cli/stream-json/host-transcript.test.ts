import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { HostTranscript, isStartedBySdk, transcriptFile } from './host-transcript.js';

function conversation(cwd = '/work/my.project') {
  const problems: string[] = [];
  const home = mkdtempSync(join(tmpdir(), 'helve-home-'));
  const options = {
    env: {},
    home,
    cwd,
    sessionId: 's-1',
    version: '1',
    onProblem: (text: string) => problems.push(text),
  };
  const file = transcriptFile(options) ?? '';
  return {
    file,
    problems,
    open: () => new HostTranscript(options),
    entries: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : [])),
  };
}

const hi = [{ type: 'text', text: 'hi' }] as const;
const answer = { type: 'assistant', message: { role: 'assistant', content: [] }, parent_tool_use_id: null };

test('each message names the one before it, also when the conversation goes on in another process', () => {
  const { file, open, entries } = conversation();
  const first = open();
  first.prompt(hi, 'u-1');
  first.line({ ...answer, uuid: 'u-2' });
  first.line({ type: 'system', subtype: 'init', uuid: 'x' });
  first.line({ ...answer, uuid: 'x', parent_tool_use_id: 'toolu_1' });
  first.line({ type: 'user', message: {}, uuid: 'x', parent_tool_use_id: null, isReplay: true });
  open().prompt(hi, 'u-3');
  expect(entries().map(({ uuid, parentUuid, type }) => [uuid, parentUuid, type])).toEqual([
    ['u-1', null, 'user'],
    ['u-2', 'u-1', 'assistant'],
    ['u-3', 'u-2', 'user'],
  ]);
  expect(file).toContain('.claude/projects/-work-my-project/s-1.jsonl');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a line that was cut off by a kill does not damage the next one', () => {
  const { file, open, entries } = conversation();
  open().prompt(hi, 'u-1');
  appendFileSync(file, '{"parentUuid":"u-1","type":"user","mess');
  open().prompt(hi, 'u-2');
  expect(entries().map(({ uuid, parentUuid }) => [uuid, parentUuid])).toEqual([
    ['u-1', null],
    ['u-2', 'u-1'],
  ]);
});

test('a symbolic link in the place of the file is not followed, and the problem is reported once', () => {
  const { file, open, problems } = conversation();
  mkdirSync(dirname(file), { recursive: true });
  const target = `${file}.target`;
  appendFileSync(target, '');
  symlinkSync(target, file);
  const transcript = open();
  transcript.prompt(hi, 'u-1');
  transcript.prompt(hi, 'u-2');
  expect(readFileSync(target, 'utf8')).toBe('');
  expect(problems).toEqual([expect.stringContaining('ELOOP')]);
});

test('there is no copy for a folder with a very long name', () => {
  const { problems, open } = conversation(`/${'x'.repeat(300)}`);
  open().prompt(hi, 'u-1');
  expect(problems).toEqual([]);
});

test.each([
  ['sdk-ts', true],
  ['sdk-py', true],
  ['cli', false],
  [undefined, false],
])('the entry point %s: started by an SDK %s', (CLAUDE_CODE_ENTRYPOINT, expected) => {
  expect(isStartedBySdk({ CLAUDE_CODE_ENTRYPOINT })).toBe(expected);
});
