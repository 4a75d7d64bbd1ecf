import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SessionStore } from '../agent/store/session-store.js';
import { hashOf } from '../platform/crypto.js';
import { AnnouncedWriters } from '../platform/journal/announced-writers.js';
import { createFileChanges } from '../platform/journal/file-changes.js';
import type { WorkspaceSnapshots } from '../platform/snapshots/snapshot-contract.js';
import { createWorkspaceSnapshots } from '../platform/snapshots/workspace-snapshot.js';
import { undo } from './undo.js';

interface Run {
  code: number;
  out: string;
  errors: string;
}

interface TestProject {
  root: string;
  dataFolder: string;
  snapshots: WorkspaceSnapshots;
  /** The folder with the journals of changes. */
  journal: string;
  text(): Promise<string>;
  /** Adds a user message to the session. */
  say(text: string): Promise<void>;
  /** Adds a call to the session's file. */
  call(id: string, tool: string, input: object): Promise<void>;
  /** Changes files as a command does. */
  command(callId: string, work: () => Promise<unknown>): Promise<void>;
  edit(callId: string, before: string, after: string): Promise<void>;
  /** Answers to questions are given in order; the last one is repeated. */
  run(args: string[], options?: { answer?: string | string[]; cwd?: string; width?: number }): Promise<Run>;
}

/** A project with one file, `a`, that a session changes. */
async function testProject(text: string): Promise<TestProject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-undo-cli-')));
  const [root, dataFolder] = [join(folder, 'project'), join(folder, 'helve')];
  const file = join(root, 'a');
  await mkdir(root);
  await mkdir(dataFolder);
  await writeFile(file, text);
  const changes = createFileChanges({ dataFolder, sessionId: 'session-1' });
  const snapshots = createWorkspaceSnapshots({ roots: () => [root], dataFolder, sessionId: 'session-1' });
  const store = new SessionStore({ dataFolder, id: 'session-1', root, model: 'x' });
  return {
    root,
    dataFolder,
    snapshots,
    journal: join(dataFolder, 'journal/sessions'),
    text: () => readFile(file, 'utf8'),
    edit: async (callId, before, after) =>
      await changes.apply(callId, [{ real: file, before: hashOf(Buffer.from(before)), after: Buffer.from(after) }]),
    async say(said) {
      await store.open();
      store.prompt([{ type: 'text', text: said }]);
      await store.flushed();
    },
    async call(callId, tool, input) {
      store.take({ type: 'tool_call', callId, tool, input, display: { title: '' } });
      store.take({ type: 'tool_start', callId, tool });
      await store.flushed();
    },
    async command(callId, work) {
      await snapshots.before(callId);
      await work();
      await snapshots.after(callId);
    },
    async run(args, { answer, cwd = root, width } = {}) {
      const [out, errors] = [collector(), collector()];
      const answers = [answer ?? []].flat();
      const ask =
        answer === undefined ? {} : { ask: async () => (answers.length > 1 ? answers.shift() : answers[0]) ?? '' };
      const surroundings = {
        env: { HELVE_HOME: dataFolder },
        cwd,
        width,
        out: out.stream,
        errors: errors.stream,
        ...ask,
      };
      const code = await undo(args, surroundings);
      return { code, out: out.text(), errors: errors.text() };
    },
  };
}

function collector(): { stream: Writable; text: () => string } {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
}

const withoutTimes = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME');

const edited = async (): Promise<TestProject> => {
  const made = await testProject('one\n');
  await made.edit('call_1', 'one\n', 'two\n');
  return made;
};

test('shows the patch, undoes the last call, and says how to redo it', async () => {
  const { run, text } = await edited();
  const { code, out } = await run(['--yes']);
  expect([code, await text()]).toEqual([0, 'one\n']);
  expect(withoutTimes(out)).toMatch(
    /^To undo, of session session-1:\n {2}TIME {2}a\nrestore a\n--- a\/a\n\+\+\+ b\/a\n@@ .* @@\n-two\n\+one\n/,
  );
  const [, command = ''] = /Restored 1 file\.\nTo reverse this undo: helve undo (.*)\n$/.exec(out) ?? [];
  expect((await run([...command.split(' '), '--yes'])).code).toBe(0);
  expect(await text()).toBe('two\n');
});

test.each([
  ['y', 'one\n', 0],
  ['n', 'two\n', 1],
  ['', 'two\n', 1],
])('follows the answer "%s"', async (answer, expected, code) => {
  const { run, text } = await edited();
  expect((await run([], { answer })).code).toBe(code);
  expect(await text()).toBe(expected);
});

test('changes nothing with --dry-run', async () => {
  const { run, text } = await edited();
  const { code, out } = await run(['--dry-run']);
  expect([code, await text()]).toEqual([0, 'two\n']);
  expect(out).toContain('-two\n+one');
});

test('without a terminal needs --yes or --dry-run', async () => {
  const { run } = await edited();
  await expect(run([])).rejects.toThrow(
    'helve undo asks before it changes files, and there is no terminal to ask on. Use --yes to go ahead, or --dry-run to preview.',
  );
});

test('refuses if the file was changed since, shows why, and undoes it with --force', async () => {
  const { run, text, root } = await edited();
  await writeFile(join(root, 'a'), 'by hand\n');
  const { code, out, errors } = await run(['--yes']);
  expect([code, await text()]).toEqual([1, 'by hand\n']);
  expect(out).toMatch(/\n! restore a: it was changed since, at \d{4}-/);
  expect(errors).toBe(
    'helve: Nothing was undone, for the reasons above. To undo the rest, and to replace what was changed since, add --force.\n',
  );
  expect((await run(['--yes', '--force'])).code).toBe(0);
  expect(await text()).toBe('one\n');
});

test('undoes several calls', async () => {
  const { run, text, edit } = await edited();
  await edit('call_2', 'two\n', 'three\n');
  await run(['--calls', '2', '--yes']);
  expect(await text()).toBe('one\n');
});

test('lists the calls, latest first', async () => {
  const { run, edit } = await edited();
  await edit('call_2', 'two\n', 'three\n');
  await run(['--yes']);
  const { code, out } = await run(['--list']);
  expect(code).toBe(0);
  expect(out.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME').replaceAll(/undo_\w+/g, 'undo_ID')).toBe(
    `Calls of session session-1 that changed files, latest first:
  TIME  a (undid call_2)  [undo_ID]
  TIME  a (undone by undo_ID)  [call_2]
  TIME  a  [call_1]
`,
  );
});

test('prints the plan and the result as JSON', async () => {
  const { run, root } = await edited();
  const planned = JSON.parse((await run(['--json', '--dry-run'])).out);
  const path = join(root, 'a');
  const file = { path, shown: 'a', action: 'change', diff: '--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-two\n+one' };
  expect(planned).toEqual({
    session: 'session-1',
    calls: ['call_1'],
    files: [file],
    notCovered: [],
    notes: [],
    unclaimed: [],
    running: [],
    applied: false,
  });
  const done = JSON.parse((await run(['--json', '--yes'])).out);
  expect(done).toEqual({ ...planned, applied: true, undo: expect.stringMatching(/^undo_/), done: [path], left: [] });
});

test('makes control characters visible', async () => {
  const { run, edit } = await edited();
  await edit('call_2', 'two\n', '\u001b[2Jthree\n');
  expect((await run(['--dry-run'])).out).toContain('-\\u001b[2Jthree');
});

test('finds the last session that changed files here, and says which one changed files elsewhere', async () => {
  const { run, root } = await edited();
  const elsewhere = await realpath(await mkdtemp(join(tmpdir(), 'helve-undo-elsewhere-')));
  const { code, errors } = await run(['--yes'], { cwd: elsewhere });
  expect([code, errors]).toEqual([
    1,
    `helve: No session has changed files below ${elsewhere}. The last one that changed files was session-1, in ${root}. If you mean that, use --session session-1; if the project was moved, move it back first.\n`,
  ]);
  expect((await run(['--yes', '--session', 'session-1'], { cwd: elsewhere })).code).toBe(0);
});

test('reports that the project was removed', async () => {
  const { run, root } = await edited();
  await rename(root, `${root}-moved`);
  const { code, out } = await run(['--yes', '--session', 'session-1'], { cwd: tmpdir() });
  expect(code).toBe(1);
  expect(out).toContain(`its folder ${root} does not exist any more`);
});

test.each<[string[], string]>([
  [['--session', 'nope', '--yes'], 'There is no session "nope" that changed files in the last 30 days.'],
  [['--session', '../x', '--yes'], 'There is no session "../x" that changed files in the last 30 days.'],
  [['--call', 'nope', '--yes'], 'No call "nope" of this session changed files.'],
])('reports the problem with %j', async (args, message) => {
  const { run } = await edited();
  const { code, errors } = await run(args);
  expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
});

test('undoes everything since a prompt', async () => {
  const { run, text, edit, say } = await testProject('one\n');
  await say('first');
  await edit('call_1', 'one\n', 'two\n');
  await edit('call_2', 'two\n', 'three\n');
  await say('second');
  await edit('call_3', 'three\n', 'four\n');
  await run(['--turn', '--yes']);
  expect(await text()).toBe('three\n');
  expect((await run(['--turn', '--yes'])).errors).toMatch(/^helve: No call has changed files since the prompt of/);
  await run(['--prompts', '2', '--yes']);
  expect(await text()).toBe('one\n');
  expect((await run(['--prompts', '3', '--yes'])).errors).toBe(
    'helve: The session session-1 has 2 prompts. Go back by at most that many.\n',
  );
});

test('cannot undo by prompt if the conversation is not saved', async () => {
  const { run } = await edited();
  expect((await run(['--turn', '--yes'])).errors).toContain('The conversation of the session session-1 is not kept');
});

test('lists the changes of a command, and those that are not covered', async () => {
  const { run, root, command } = await testProject('one\n');
  await writeFile(join(root, 'large'), Buffer.alloc(10_000_001));
  await command('call_1', () => writeFile(join(root, 'a'), 'two\n'));
  const { out } = await run(['--list']);
  expect(out.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME')).toBe(
    `Calls of session session-1 that changed files, latest first:
  TIME  a (by a command; 1 file not covered, because larger than 10 MB)  [call_1]
Not covered, unless a command names the file: what commands changed outside the project and in files that git ignores. Never covered: .git, and what a process that is left running changes later.
`,
  );
  expect((await run(['--yes'])).out).toContain('call_1: 1 file not covered, because larger than 10 MB.');
});

test('says that there is nothing to undo yet', async () => {
  const { run } = await testProject('one\n');
  expect((await run(['--yes'])).errors).toMatch(/^helve: No session in .* has changed files yet/);
});

test.each<[string[], string]>([
  [['--calls', '0', '--yes'], '--calls takes the number of calls to undo, such as 3, but was "0".'],
  [['--calls', 'x', '--yes'], '--calls takes the number of calls to undo, such as 3, but was "x".'],
  [
    ['--call', 'a', '--calls', '2', '--yes'],
    '--call, --calls, --turn, --prompts, --list and --sessions exclude each other.',
  ],
  [['--prompts', '-1', '--yes'], '--prompts'],
  [['--prompts', 'x', '--yes'], '--prompts takes the number of prompts to go back by, such as 3, but was "x".'],
  [['--turn', '--call', 'a', '--yes'], '--call, --calls, --turn, --prompts, --list and --sessions exclude each other.'],
  [['--list', '--call', 'a'], '--call, --calls, --turn, --prompts, --list and --sessions exclude each other.'],
  [['call_1', '--yes'], 'helve undo takes no argument such as "call_1". To undo one call, use --call ID.'],
  [['--forc', '--yes'], 'Did you mean --force?'],
])('refuses %j', async (args, message) => {
  const { run } = await edited();
  await expect(run(args)).rejects.toThrow(message);
});

test('lists each call with its tool and subject, below the prompt that it came after', async () => {
  const { run, edit, say, call, command, root } = await testProject('one\n');
  await say('make it two');
  await call('call_1', 'Edit', { file_path: join(root, 'a'), old_string: 'one', new_string: 'two' });
  await edit('call_1', 'one\n', 'two\n');
  await say('never mind\nand more');
  await say('now by a command');
  await call('call_2', 'Bash', { command: 'echo three > a\necho done' });
  await command('call_2', () => writeFile(join(root, 'a'), 'three\n'));
  expect(withoutTimes((await run(['--list'])).out)).toContain(`latest first:
— prompt: now by a command  (TIME, --turn)
  TIME  Bash echo three > a: a (by a command)  [call_2]
— prompt: never mind  (TIME, --prompts 2)
— prompt: make it two  (TIME, --prompts 3)
  TIME  Edit a  [call_1]
`);
  expect(JSON.parse((await run(['--list', '--json'])).out)).toMatchObject({
    calls: [
      { callId: 'call_1', tool: 'Edit' },
      { callId: 'call_2', tool: 'Bash', title: 'echo three > a' },
    ],
    prompts: [{ text: 'make it two' }, { text: 'never mind' }, { text: 'now by a command' }],
  });
});

test.each([
  [['--call', 'nope'], 'No call "nope" of this session changed files.'],
  [['--session', 'zzz'], 'There is no session "zzz" that changed files'],
])('reports a wrong id before it asks for --yes: %j', async (args, sentence) => {
  const { run } = await edited();
  const { code, errors } = await run(args);
  expect(code).toBe(1);
  expect(errors).toContain(sentence);
});

test('--dry-run of an undo that would be refused shows it, says so, and exits 0', async () => {
  const { run, root } = await edited();
  await writeFile(join(root, 'a'), 'by hand\n');
  const { code, out, errors } = await run(['--dry-run']);
  expect(code).toBe(0);
  expect(out).toContain('! restore a: it was changed since');
  expect(errors).toContain('helve: This would not be undone, for the reasons above.');
});

test.each(['in the session file', 'only in the journal'])(
  'undoes changes since a prompt, even after the clock was set back, if calls are listed %s',
  async (where) => {
    const { run, text, edit, say, call } = await testProject('one\n');
    const change = async (id: string, before: string, after: string): Promise<void> => {
      if (where === 'in the session file') await call(id, 'Edit', { file_path: 'a' });
      await edit(id, before, after);
    };
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    await say('first');
    await change('call_1', 'one\n', 'two\n');
    vi.setSystemTime(Date.now() - 2 * 3_600_000);
    await say('second');
    await change('call_2', 'two\n', 'three\n');
    const { out } = await run(['--list']);
    expect(withoutTimes(out)).toMatch(/prompt: second .*\n.* \[call_2\]\n— prompt: first .*\n.* \[call_1\]\n/);
    await run(['--turn', '--yes']);
    expect(await text()).toBe('two\n');
    await run(['--prompts', '2', '--yes']);
    expect(await text()).toBe('one\n');
  },
);

test('accepts a prefix of a session id, and lists all matches of an ambiguous one', async () => {
  const { run, edit, root, text, journal } = await testProject('one\n');
  await edit('call_1', 'one\n', 'two\n');
  expect((await run(['--session', 'SESS', '--yes'])).code).toBe(0);
  expect(await text()).toBe('one\n');
  await writeFile(join(journal, 'session-2.jsonl'), '');
  const { code, errors } = await run(['--session', 'sess', '--yes'], { cwd: root });
  expect(code).toBe(1);
  expect(withoutTimes(errors)).toMatch(
    /^helve: "sess" is the beginning of 2 ids of sessions that changed files:\n {2}session-\d {2}\(TIME\)\n {2}session-\d {2}\(TIME\)\nGive more of the one you mean\.\n$/,
  );
});

test('names the session, the prompt and the tool of the changes to undo', async () => {
  const { run, edit, say, call } = await testProject('one\n');
  await say('make it two');
  await call('call_1', 'Edit', { file_path: 'a' });
  await edit('call_1', 'one\n', 'two\n');
  expect(withoutTimes((await run(['--dry-run'])).out)).toMatch(
    /^To undo, of session session-1:\n— prompt: make it two {2}\(TIME\)\n {2}TIME {2}Edit a\n/,
  );
});

test('exits 1 if all files are already restored, says so, and goes one step further the next time', async () => {
  const { run, root, text, edit } = await testProject('zero\n');
  await edit('call_0', 'zero\n', 'one\n');
  await edit('call_1', 'one\n', 'two\n');
  await writeFile(join(root, 'a'), 'one\n');
  const { code, out, errors } = await run(['--yes']);
  expect(code).toBe(1);
  expect(out).toContain('The files that were changed are already as they were before, so there is nothing to do.');
  expect(errors).toBe(
    'helve: Nothing was undone. call_1 counts as undone, so that the next helve undo goes one step further.\n',
  );
  expect((await run(['--yes'])).code).toBe(0);
  expect(await text()).toBe('zero\n');
});

test('prints a command that redoes the undone changes', async () => {
  const { run, text } = await edited();
  await run(['--yes']);
  for (const args of [['--yes'], ['--call', 'call_1', '--yes']]) {
    const { code, errors } = await run(args);
    expect(code).toBe(1);
    const [, command = ''] = / To reverse that undo: helve undo (.*)\n$/.exec(errors) ?? [];
    expect(command).toMatch(/^--session session-1 --call undo_\w+$/);
    expect((await run([...command.split(' '), '--dry-run'], { cwd: tmpdir() })).out).toContain('+two');
  }
  expect(await text()).toBe('one\n');
});

test('refuses to undo a running command, says what to do, and undoes the calls before it', async () => {
  const { run, root, text, edit, snapshots } = await testProject('one\n');
  await edit('call_1', 'one\n', 'two\n');
  await snapshots.before('call_2');
  snapshots.leave('call_2');
  await writeFile(join(root, 'made'), 'by call_2\n');
  await snapshots.before('call_3');
  await snapshots.after('call_3');
  const { code, errors } = await run(['--yes']);
  expect([code, errors]).toEqual([
    1,
    'helve: Nothing was undone: call_2 is still running and would continue to change files. Stop it in that session, or wait until that has ended, then undo again. helve undo --force undoes the changes so far.\n',
  ]);
  const earlier = await run(['--calls', '2', '--yes']);
  expect([earlier.code, await text(), await readFile(join(root, 'made'), 'utf8')]).toEqual([0, 'one\n', 'by call_2\n']);
  expect(earlier.out).toContain('Not undone: the changes of call_2, which is still running.');
  await snapshots.after('call_2');
  expect((await run(['--yes'])).code).toBe(0);
  expect(existsSync(join(root, 'made'))).toBe(false);
});

test('reports that a session is at its first command', async () => {
  const { run, snapshots, dataFolder } = await edited();
  const other = createWorkspaceSnapshots({ roots: () => [], dataFolder, sessionId: 'session-2' });
  await other.before('call_9');
  const { code, errors } = await run(['--session', 'session-2', '--yes']);
  expect(code).toBe(1);
  expect(errors).toContain('The first command of session session-2 is still running');
  await Promise.all([other.after('call_9'), snapshots.end()]);
});

test('skips changes that may belong to another session, exits 1 if there are no others, and undoes them with --force', async () => {
  const { run, root, command, text, dataFolder } = await testProject('one\n');
  const end = await new AnnouncedWriters({ dataFolder, id: 'session-2' }).begin({ name: 'the hook "format"' });
  await command('call_1', async () => {
    await writeFile(join(root, 'a'), 'two\n');
    await writeFile(join(root, 'made'), 'new\n');
  });
  end();
  const { code, out, errors } = await run(['--yes']);
  expect(code).toBe(1);
  expect(out).toContain('Stays as it is: a, made. It changed while a command, hook or tool of another session ran too');
  expect(errors).toBe('helve: Nothing was undone. To undo what may be the work of another session, add --force.\n');
  expect(await text()).toBe('two\n');
  expect((await run(['--yes', '--force'])).code).toBe(0);
  expect([await text(), existsSync(join(root, 'made'))]).toEqual(['one\n', false]);
});

test('restores the edit that another call made while the command ran', async () => {
  const { run, root, command, edit, text } = await testProject('one\n');
  await command('call_2', async () => {
    await edit('call_1', 'one\n', 'two\n');
    await writeFile(join(root, 'a'), 'three\n');
  });
  expect((await run(['--call', 'call_2', '--yes'])).code).toBe(0);
  expect(await text()).toBe('two\n');
});

test('lists the sessions that changed files here', async () => {
  const { run } = await edited();
  const { code, out } = await run(['--sessions']);
  expect([code, withoutTimes(out)]).toEqual([
    0,
    expect.stringMatching(
      /^Sessions that changed files below .*, latest first:\n {2}session-1 {2}TIME {2}1 call to undo\n$/,
    ),
  ]);
  expect(JSON.parse((await run(['--sessions', '--json'])).out)).toMatchObject([{ session: 'session-1', calls: 1 }]);
});

test('a conflict after a redo names the edit by hand, not the undo', async () => {
  const at = await testProject('one\n');
  await at.edit('call-1', 'one\n', 'two\n');
  await at.run(['--yes']);
  const { out } = await at.run(['--list', '--json']);
  const undoId = JSON.parse(out).calls.at(-1).callId;
  await at.run(['--call', undoId, '--yes']);
  expect(await at.text()).toBe('two\n');
  await writeFile(join(at.root, 'a'), 'by hand\n');
  const { out: plan } = await at.run(['--dry-run']);
  expect(plan).toContain('it was changed since, at ');
  expect(plan).not.toContain('by the call');
});

test('names other sessions if all calls are undone, or fewer exist than were requested', async () => {
  const at = await testProject('one\n');
  const other = createFileChanges({ dataFolder: at.dataFolder, sessionId: 'session-0' });
  await other.apply('other-1', [{ real: join(at.root, 'b'), before: null, after: Buffer.from('b') }]);
  await at.edit('call-1', 'one\n', 'two\n');
  const both = await at.run(['--session', 'session-1', '--calls', '2', '--yes']);
  expect(both.errors).toContain(
    'had only 1 call to undo. Other sessions have changed files too: helve undo --sessions',
  );
  const again = await at.run(['--session', 'session-1', '--yes']);
  expect(again.errors).toContain('are already undone. Other sessions have changed files too: helve undo --sessions');
  const unknown = await at.run(['--session', 'session-1', '--call', 'nope', '--yes']);
  expect(unknown.errors).toContain('helve undo --list shows those that did');
});

test('names a running command if nothing is listed yet', async () => {
  const at = await testProject('one\n');
  await at.snapshots.before('call-1');
  const { errors } = await at.run(['--yes']);
  expect(errors).toContain('The first command of a session is still running');
  await at.snapshots.after('call-1');
});

test('an undo in an unwritable data folder says what to do', async ({ skip }) => {
  if (process.getuid?.() === 0 && spawnSync('chattr', ['-V']).error) skip('root can write everywhere');
  const at = await testProject('one\n');
  await at.edit('call-1', 'one\n', 'two\n');
  const folders = ['open', 'locks', 'images', 'sessions'].map((name) => join(at.dataFolder, 'journal', name));
  if (spawnSync('chattr', ['+i', ...folders]).status !== 0) skip('folders cannot be made immutable here');
  try {
    const { errors } = await at.run(['--yes']);
    expect(errors).toMatch(/Nothing was undone, because .*can't be written: .* Make it writable, then run the same/);
    expect(await at.text()).toBe('two\n');
  } finally {
    spawnSync('chattr', ['-i', ...folders]);
  }
});

async function twoEdits(): Promise<TestProject> {
  const project = await testProject('one\n');
  await project.say('make it three');
  await project.call('call_1', 'Edit', { file_path: 'a' });
  await project.edit('call_1', 'one\n', 'two\n');
  await project.call('call_2', 'Edit', { file_path: 'a' });
  await project.edit('call_2', 'two\n', 'three\n');
  await project.say('thanks');
  return project;
}

test('on a terminal, undo offers everything since the last prompt that changed files first', async () => {
  const { run, text } = await twoEdits();
  const { code, out } = await run([], { answer: ['1', 'y'] });
  expect(withoutTimes(out)).toMatch(
    /^Your prompt was: make it three {2}\(TIME\)\n {2}1 {2}undo everything since then: 2 calls, a\n {2}2 {2}undo the last call only: Edit a\n {2}3 {2}cancel\n/,
  );
  expect(out).toContain('-three\n+one\n');
  expect({ code, text: await text() }).toEqual({ code: 0, text: 'one\n' });
});

test.each([
  [['2', 'y'], 0, 'two\n'],
  [['3'], 1, 'three\n'],
  [[''], 1, 'three\n'],
  [['1', 'n'], 1, 'three\n'],
])('on a terminal, the answers %j to undo lead to exit code %i', async (answer, code, after) => {
  const { run, text } = await twoEdits();
  expect((await run([], { answer })).code).toBe(code);
  expect(await text()).toBe(after);
});

test('without a terminal, undo --yes undoes the last call, and says that this will change', async () => {
  const { run, text } = await twoEdits();
  const { code, errors } = await run(['--yes']);
  expect({ code, text: await text() }).toEqual({ code: 0, text: 'two\n' });
  expect(errors).toMatch(/^helve: This is about the last call only\. Add --turn for everything since your last prompt/);
  expect((await run(['--calls', '1', '--yes'])).errors).toBe('');
});

test('on a terminal, undo draws the change with colours and line numbers instead of a raw patch', async () => {
  const { run } = await edited();
  const { out } = await run([], { answer: 'y', width: 60 });
  const plain = stripVTControlCharacters(out);
  expect(out).not.toBe(plain);
  expect(plain).toMatch(/\n\nrestore a {2}\+1 -1\n {2}1 - two\n {2}1 \+ one\n\nRestored 1 file\.\n/);
  expect(plain).not.toMatch(/@@|---|call_1/);
});
