import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readdir, readFile, realpath, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSession } from '../../src/agent/store/read-session.js';
import { restoreSession } from '../../src/agent/store/restore-session.js';
import { resumeSession } from '../../src/agent/store/resume-session.js';
import { sessionFolder } from '../../src/agent/store/session-folder.js';
import { SessionStore } from '../../src/agent/store/session-store.js';
import { createAgent } from '../../src/compose/create-agent.js';
import { scriptedModel } from '../../src/models/scripted.js';
import { protocolViolations } from '../../src/testing/protocol-violations.js';
import { buildProgram } from './build-program.js';

const KILLS = process.env['HELVE_SOAK'] ? 200 : 8;

const newFolder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'helve-kept-')));

// Takes turn after turn, each with a call, and says which are on the disk; goes on from what is there.
const writer = `
import { rmSync } from 'node:fs';
import { SessionStore } from '../../agent/store/session-store.ts';
import { resumeSession } from '../../agent/store/resume-session.ts';

const [dataFolder, size, limit, filler] = process.argv.slice(2);
const options = { dataFolder, id: 'abc', root: '/', model: 'm', onProblem: (sentence) => console.log('problem: ' + sentence) };
const store = await resumeSession(options).then(
  ({ store }) => store,
  (error) => {
    if (error.kind !== 'unknown') throw error;
    return new SessionStore(options);
  },
);
await store.open();
const usage = { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
store.prompt([{ type: 'text', text: 'go' }]);
for (let turn = store.totals.turns + 1; turn <= Number(limit); turn += 1) {
  const callId = 'call_' + turn + '_' + process.pid;
  const result = { type: 'tool_result', tool_use_id: callId, content: 'result '.repeat(Number(size)) };
  const content = [{ type: 'text', text: 'turn ' + turn }, { type: 'tool_use', id: callId, name: 'Change', input: { turn } }];
  if (turn === 20 && filler) rmSync(filler);
  store.take({ type: 'turn_start', turn });
  store.take({ type: 'tool_call', callId, tool: 'Change', input: { turn }, display: { title: '' } });
  store.take({ type: 'tool_start', callId, tool: 'Change' });
  await new Promise(setImmediate);
  store.take({ type: 'tool_result', callId, tool: 'Change', result, display: { title: '' } });
  store.take({ type: 'assistant_message', message: { role: 'assistant', content }, id: 'm', model: 'm' });
  store.take({ type: 'user_message', message: { role: 'user', content: [result] } });
  store.take({ type: 'turn_end', turn, stopReason: 'tool_use', usage });
  await store.flushed();
  console.log('turn ' + turn + ' lost ' + store.lost);
}
await store.close();`;

async function killAfter(child: ChildProcess, turns: number): Promise<string> {
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.split('\n').length > turns) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return output;
}

test('a process that is killed at any moment loses no turn on the disk, and the next one continues', async () => {
  const dataFolder = await newFolder();
  const program = await buildProgram(writer);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const child = spawn(process.execPath, [program, dataFolder, '300', '100000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = await killAfter(child, 3 + (kill % 4));
    const saved = Number(/turn (\d+) lost 0\n(?![\s\S]*turn \d+ lost)/.exec(output)?.[1]);
    const { messages, totals, damaged } = restoreSession(readSession(sessionFolder(dataFolder, 'abc')));
    expect(protocolViolations({ model: 'm', max_tokens: 1, messages })).toEqual([]);
    expect(totals.turns).toBeGreaterThanOrEqual(saved);
    expect(damaged.length).toBeLessThanOrEqual(kill);
    const said = new Set(
      messages.flatMap(({ content }) => content.map((block) => ('text' in block ? block.text : ''))),
    );
    for (let turn = 1; turn <= totals.turns; turn += 1) expect(said).toContain(`turn ${turn}`);
  }
});

test('a second process cannot open a session in use, and can once the first process is killed', async () => {
  const dataFolder = await newFolder();
  const child = spawn(process.execPath, [await buildProgram(writer), dataFolder, '1', '100000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const resume = () => resumeSession({ dataFolder, id: 'abc', root: '/', model: 'm' });
  await expect(resume()).rejects.toThrow(`The session abc is in use by process ${child.pid}, since `);
  child.kill('SIGKILL');
  await once(child, 'close');
  const { store, restored } = await resume();
  expect(restored.totals.turns).toBeGreaterThan(0);
  await store.close();
});

// Runs in a mount namespace of its own, with a small disk that fills up and later has space again.
const onSmallDisk = `
mount -t tmpfs -o size=512k,mode=700 tmpfs "$1" || exit 77
head -c 300000 /dev/zero > "$1/filler"
"$2" "$3" "$1" 2000 30 "$1/filler"
cp "$1/sessions/abc/session.jsonl" "$4"`;

test('a full disk is reported once, the conversation goes on, and pending data is written once there is space again', async ({
  skip,
}) => {
  const folder = await newFolder();
  await mkdir(join(folder, 'disk'));
  const args = [join(folder, 'disk'), process.execPath, await buildProgram(writer), join(folder, 'copy.jsonl')];
  const { stdout, status } = spawnSync('unshare', ['--mount', 'bash', '-c', onSmallDisk, 'bash', ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) skip('a file system can not be mounted here');
  const lines = stdout.trim().split('\n');
  expect(lines.filter((line) => line.startsWith('problem'))).toEqual([
    expect.stringMatching(
      /^problem: The data folder can't be written\. .*session\.jsonl was not written: the disk is full/,
    ),
  ]);
  expect(lines).toContainEqual(expect.stringMatching(/^turn 19 lost [1-9]/));
  expect(lines.findLast((line) => line.startsWith('turn'))).toBe('turn 30 lost 0');
  const kept = sessionFolder(folder, 'abc');
  await mkdir(kept.path, { recursive: true });
  await writeFile(kept.file, await readFile(join(folder, 'copy.jsonl')));
  const { messages, totals, damaged } = restoreSession(readSession(kept));
  expect({ turns: totals.turns, messages: messages.length, damaged }).toEqual({ turns: 30, messages: 61, damaged: [] });
});

test('the events of the loop are enough to restore the whole conversation', async () => {
  const folder = await newFolder();
  const root = join(folder, 'project');
  await mkdir(root);
  await writeFile(join(root, 'a.txt'), 'one\n');
  const dataFolder = join(folder, 'data');
  const model = scriptedModel({
    turns: [
      {
        text: 'I read.',
        calls: [
          { name: 'Read', input: { file_path: 'a.txt' } },
          { name: 'Nothing', input: {} },
        ],
      },
      {
        text: 'I change.',
        calls: [{ name: 'Edit', input: { file_path: 'a.txt', old_string: 'one', new_string: 'two' } }],
      },
      { text: 'Bad.', calls: [{ name: 'Read', json: '{"file_path": ' }] },
      { text: 'Done.' },
    ],
  });
  const agent = createAgent({ root, dataFolder, model, permissionMode: 'bypassPermissions' });
  const store = new SessionStore({ dataFolder, id: agent.session.id, root, model: model.name });
  store.watch(agent.session);
  await store.open();
  store.prompt([{ type: 'text', text: 'Change one to two' }]);
  for await (const event of agent.run('Change one to two')) store.take(event);
  await store.close();
  await agent.end();
  expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('two\n');

  const { restored, store: again } = await resumeSession({ dataFolder, id: agent.session.id, root, model: model.name });
  expect(restored.messages).toEqual(agent.session.transcript.messages);
  expect(restored).toMatchObject({ totals: { turns: 4 }, cwd: root, mode: 'default', damaged: [], interrupted: [] });
  await again.close();
});

// The command as `helve sessions` runs it.
const command = `
import { sessions } from '../../cli/sessions.ts';
import { UsageProblem } from '../../cli/usage-problem.ts';
process.exitCode = await sessions(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  return error instanceof UsageProblem ? 2 : 1;
});`;

async function commandLine() {
  const [folder, program] = await Promise.all([newFolder(), buildProgram(command)]);
  const root = join(folder, 'project');
  const home = join(folder, 'home');
  await mkdir(root);
  const add = async (id: string, prompt: string, where = root): Promise<SessionStore> => {
    const store = new SessionStore({ dataFolder: home, id, root: where, model: 'm' });
    await store.open();
    store.prompt([{ type: 'text', text: prompt }]);
    const message = { role: 'assistant', content: [{ type: 'text', text: `Answer to ${id}.` }] } as const;
    store.take({ type: 'assistant_message', message, id: 'x', model: 'm' });
    const usage = { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    store.take({ type: 'turn_end', turn: 1, stopReason: 'end_turn', usage });
    await store.flushed();
    return store;
  };
  const run = (...args: string[]) => {
    const env = { PATH: process.env['PATH'], HELVE_HOME: home, MY_SERVICE_TOKEN: 'ordinarywords' };
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...args], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    return { stdout, stderr, status };
  };
  return { root, home, add, run };
}

test('helve sessions lists those of this folder, or all, for people and for programs', async () => {
  const { root, add, run } = await commandLine();
  expect(run()).toEqual({
    stdout: '',
    stderr: `No sessions in ${root}. helve sessions list --all shows those of other folders.\n`,
    status: 0,
  });
  await (await add('aaaa1111', 'Fix the \u001b[31mbug')).close();
  await (await add('bbbb2222', 'Elsewhere', '/other')).close();
  expect(run().stdout).toMatch(
    /^aaaa1111 {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}1 turn {2}\$0\.00 {2}Fix the \\u001b\[31mbug\n$/,
  );
  expect(run('list', '--all').stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^bbbb2222 .* \/other .* Elsewhere$/),
    expect.stringMatching(/^aaaa1111/),
  ]);
  expect(JSON.parse(run('--all', '--json').stdout)).toMatchObject([
    { id: 'bbbb2222', root: '/other', title: 'Elsewhere', turns: 1, cost_usd: 0, in_use: false },
    { id: 'aaaa1111', root, model: 'm' },
  ]);
});

test('helve sessions show accepts a prefix of an id, or last, and suggests the nearest for a typo', async () => {
  const { home, add, run } = await commandLine();
  await (await add('aaaa1111', 'Fix it\nplease')).close();
  await appendFile(sessionFolder(home, 'aaaa1111').file, 'garbage');
  for (const id of ['aaaa1111', 'aaa', 'last']) {
    const { stdout, stderr, status } = run('show', id);
    expect(status).toBe(0);
    expect(stdout).toContain('\n> Fix it\n> please\n\nAnswer to aaaa1111.\n');
    expect(stderr).toContain("Line 5 of the session's file can't be read");
  }
  expect(JSON.parse(run('show', 'last', '--json').stdout)).toMatchObject({ id: 'aaaa1111', damaged_lines: [5] });
  expect(run('show', 'aaab1111')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Did you mean aaaa1111?'),
  });
  expect(run('show')).toMatchObject({ status: 2 });
  expect(run('shwo', 'x')).toMatchObject({ status: 2, stderr: expect.stringContaining('"helve sessions show"?') });
});

test('helve sessions show leaves known formats of secrets out, unless it is asked for them', async () => {
  const { add, run } = await commandLine();
  await (await add('aaaa1111', 'Use ordinarywords and password: "hunter2hunter2"')).close();
  for (const flags of [[], ['--json']]) {
    expect(run('show', 'last', ...flags).stdout).toContain('[redacted: secret]');
    expect(run('show', 'last', ...flags).stdout).not.toMatch(/ordinarywords|hunter2/);
    expect(run('show', 'last', '--raw', ...flags).stdout).toMatch(/ordinarywords.*hunter2/);
  }
});

test('helve sessions delete says what it deleted, refuses one in use, and deletes none where a name is wrong', async () => {
  const { add, run } = await commandLine();
  await (await add('aaaa1111', 'First')).close();
  const used = await add('bbbb2222', 'Second');
  expect(run('delete', 'aaaa', 'cccc')).toMatchObject({ status: 1, stdout: '' });
  const { stdout, stderr, status } = run('delete', 'aaaa', 'bbbb');
  expect({ stdout, status }).toEqual({ stdout: 'Deleted aaaa1111: First\n', status: 1 });
  expect(stderr).toMatch(/^helve: The session bbbb2222 is in use by process \d+, since .* It was not deleted\.\n$/);
  await used.close();
  expect(run('delete', 'last').stdout).toBe('Deleted bbbb2222: Second\n');
  expect(run('delete')).toMatchObject({ status: 2 });
});

test('helve sessions export writes a private page without secrets, and never over a file', async () => {
  const { root, add, run } = await commandLine();
  await (await add('aaaa1111', 'The token is ordinarywords, <b>really</b>')).close();
  expect(run('export', 'last', '--output', 'page.html')).toMatchObject({ status: 0 });
  const page = await readFile(join(root, 'page.html'), 'utf8');
  expect(page).toContain('The token is [redacted: secret], &lt;b&gt;really&lt;/b&gt;');
  expect((await stat(join(root, 'page.html'))).mode & 0o777).toBe(0o600);
  expect(run('export', 'last', '-o', 'page.html')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('already exists'),
  });
  expect(run('export', 'last').stdout).toMatch(/^# The token is \\\[redacted: secret\\\]/);
  expect(run('export', 'last', '--format', 'pdf')).toMatchObject({
    status: 2,
    stderr: '--format takes md or html, but was "pdf".\n',
  });
});

test('a session without a write for thirty days is deleted when another one ends', async () => {
  const [dataFolder, root] = [await newFolder(), await newFolder()];
  const long = new Date(Date.now() - 32 * 24 * 3_600_000);
  for (const id of ['old', 'new']) {
    const { path, file } = sessionFolder(dataFolder, id);
    await mkdir(path, { recursive: true });
    await writeFile(file, '');
    if (id === 'old') for (const aged of [file, path]) await utimes(aged, long, long);
  }
  const marker = join(dataFolder, 'sessions', '.cleaned');
  await writeFile(marker, '');
  const yesterday = new Date(Date.now() - 24 * 3_600_000);
  await utimes(marker, yesterday, yesterday);
  const model = scriptedModel({ turns: [{ text: 'Hello.' }] });
  const agent = createAgent({ model, root, dataFolder, keepSession: true, sessionId: 'abc' });
  for await (const _ of agent.run('Hello.'));
  await agent.end();
  await agent.end(); // once more does nothing
  const left = (await readdir(join(dataFolder, 'sessions'))).filter((name) => !name.startsWith('.'));
  expect(left.toSorted()).toEqual(['abc', 'new']);
});
