import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { AcpAgent } from '../../src/acp/acp-agent.js';
import { HELVE_PROTOCOL, helveMethods } from '../../src/acp/helve-methods.js';
import { readSession } from '../../src/agent/store/read-session.js';
import { restoreSession } from '../../src/agent/store/restore-session.js';
import { sessionFolder } from '../../src/agent/store/session-folder.js';
import { lockSession } from '../../src/agent/store/session-lock.js';
import { HostClient } from '../../src/cli/background/host-client.js';
import { hostPlace, makeHostFolders } from '../../src/cli/background/host-place.js';
import { socketTransport } from '../../src/cli/background/socket-transport.js';
import { BackgroundHost, type DueWork } from '../../src/host/background-host.js';
import type { Caller } from '../../src/host/hosted-conversation.js';
import { SessionHost } from '../../src/host/session-host.js';
import { SessionIndex } from '../../src/host/session-index.js';
import { type FakeAnswers, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { isRunning, until } from '../../src/testing/watch-processes.js';
import { follow } from './helve-host.js';
import { emptyFolder, type HelveRun, jsonLines, runHelve } from './run-helve.js';

const ID = '00000000-0000-4000-8000-000000000001';

interface Place {
  cwd: string;
  home: string;
  env: Readonly<Record<string, string>>;
  helve(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<HelveRun>;
  /** `helve ps --json`. */
  ps(): Promise<Array<Record<string, unknown>>>;
}

/** A data folder with a model. Its host is ended with the test. */
async function place(answers: FakeAnswers): Promise<Place> {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  const server = await startFakeModelServer(answers);
  const env = { HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
  const helve: Place['helve'] = async (args, more = {}) => await runHelve(args, { cwd, env: { ...env, ...more } });
  onTestFinished(async () => {
    await helve(['host', 'stop']);
    await server.close();
  });
  return { cwd, home, env, helve, ps: async () => jsonLines((await helve(['ps', '--json'])).stdout) };
}

const command = (text: string): { text: string; calls: Array<{ name: string; input: { command: string } }> } => ({
  text: 'I run it.',
  calls: [{ name: 'Bash', input: { command: text } }],
});

const connected = async (home: string, caller?: Caller): Promise<HostClient> => {
  const client = await HostClient.connect(hostPlace(home).socket, caller);
  if (!client) throw new Error('No host runs.');
  onTestFinished(() => client.close());
  return client;
};

const stateIs = (at: Place, state: string): Promise<void> =>
  until(async () => (await at.ps()).every((session) => session['state'] === state));

test('a prompt runs in the background, waits for its answer, and is listed meanwhile', async () => {
  const at = await place([command('echo made > made.txt'), { text: 'Done.' }]);
  const { code, stdout, stderr } = await at.helve(['bg', 'make it']);
  const id = stdout.trim();
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`helve attach ${id.slice(0, 8)}`) });
  await stateIs(at, 'waiting');
  const [listed] = await at.ps();
  expect(listed).toMatchObject({ id, kind: 'background', root: at.cwd, title: 'make it', state: 'waiting' });
  expect(listed?.['activity']).toBe('Bash echo made > made.txt');
  const { stdout: table } = await at.helve(['ps']);
  expect(table).toMatch(/^ID +STATE +PROJECT +COST +FOR +NOW\n[0-9a-f]{8} {2}waiting for you/);

  const soFar = await at.helve(['logs', id]);
  expect(soFar.stdout).toBe('> make it\nI run it.\n');
  expect(soFar.stderr).toContain(`It waits for an answer: Bash echo made > made.txt. helve attach ${id.slice(0, 8)}`);

  const client = await connected(at.home);
  const other = await connected(at.home);
  const [seen, seenByOther] = [follow(client), follow(other)];
  for (const one of [client, other]) await one.request('_helve/session/attach', { sessionId: id });
  await until(() => seen.open.size === 1 && seenByOther.open.size === 1);
  const [question] = seen.open.values();
  const answer = { sessionId: id, questionId: question?.id ?? '', answer: { behavior: 'allow' } };
  expect(await client.request('_helve/session/answer', answer)).toEqual({ isAccepted: true });
  expect(await other.request('_helve/session/answer', answer)).toEqual({ isAccepted: false });
  await until(() => seenByOther.open.size === 0);
  await stateIs(at, 'idle');
  expect(readFileSync(join(at.cwd, 'made.txt'), 'utf8')).toBe('made\n');
  const { stdout: log } = await at.helve(['logs', id.slice(0, 6)]);
  expect(log).toMatch(/^> make it\nI run it\.\n● Bash echo made > made\.txt\n[\s\S]*Done\.\n$/);
});

test('a prompt that is sent twice runs once, also after the host was killed', async () => {
  const at = await place([{ text: 'Once.' }, { text: 'Twice.' }]);
  const again = ['bg', 'go', '--session-id', '00000000-0000-4000-8000-000000000001', '--prompt-id', 'p', '--json'];
  const [first, second] = [await at.helve(again), await at.helve(again)];
  expect([first, second].map(({ stdout }) => jsonLines(stdout)[0]?.['isNew'])).toEqual([true, false]);
  await stateIs(at, 'idle');
  const [{ pid } = {}] = await at.ps();
  process.kill(Number(pid), 'SIGKILL');
  await until(() => !isRunning(Number(pid)));
  expect(existsSync(hostPlace(at.home).socket)).toBe(true); // a stale socket
  const third = await at.helve(again);
  expect(jsonLines(third.stdout)[0]?.['isNew']).toBe(false);
  const { stdout } = await at.helve(['logs', '00000000']);
  expect(stdout).toBe('> go\nOnce.\n');
});

test('each session has the environment of its own caller, and no key is written to the disk', async () => {
  const at = await place((request) =>
    JSON.stringify(request.body.messages).includes('tool_result')
      ? { text: 'Done.' }
      : command(`echo "$CANARY" > ${/task-(one|two)/.exec(request.text)?.[1]}.txt; env >> all.txt`),
  );
  const bypass = ['--permission-mode', 'bypassPermissions'];
  await at.helve(['bg', 'task-one', ...bypass], { CANARY: 'canary-one', OTHER_ONE: 'only-one' });
  await stateIs(at, 'idle');
  await at.helve(['bg', 'task-two', ...bypass], { CANARY: 'canary-two', ANTHROPIC_API_KEY: 'sk-second-key' });
  await stateIs(at, 'idle');
  const text = (name: string): string => readFileSync(join(at.cwd, `${name}.txt`), 'utf8');
  expect([text('one'), text('two')]).toEqual(['canary-one\n', 'canary-two\n']);
  expect(text('all').match(/OTHER_ONE/g)).toHaveLength(1);
  const found = execFileSync('grep', ['-rlE', 'canary-(one|two)|sk-second-key', at.home, '--include=*', '-s'], {
    encoding: 'utf8',
  }).trim();
  const [{ pid } = {}] = await at.ps();
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/CANARY|ANTHROPIC/);
  expect(found.split('\n').filter((path) => !/snapshots|journal|results/.test(path))).toEqual([]);
});

test('without an id, the only session is meant, and last means the one that changed last', async () => {
  const at = await place(() => ({ text: 'Done.' }));
  await at.helve(['bg', 'one']);
  await stateIs(at, 'idle');
  expect((await at.helve(['logs'])).stdout).toContain('one');
  await at.helve(['bg', 'two']);
  await until(async () => (await at.ps()).filter(({ state }) => state === 'idle').length === 2);
  const unclear = await at.helve(['logs']);
  expect(unclear).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/There are 2 sessions[\s\S]* {2}\w{8} {2}two\n/),
  });
  expect((await at.helve(['logs', 'last'])).stdout).toContain('two');
  expect(await at.helve(['stop', 'last'])).toMatchObject({ code: 0 });
});

test('of several hosts that start at once, one serves all', async () => {
  const at = await place(() => ({ text: 'Done.' }));
  const runs = await Promise.all([1, 2, 3, 4].map(async (number) => await at.helve(['bg', `prompt ${number}`])));
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const listed = await at.ps();
  expect(new Set(listed.map(({ pid }) => pid)).size).toBe(1);
  expect(listed.map(({ title }) => title).toSorted()).toEqual(['prompt 1', 'prompt 2', 'prompt 3', 'prompt 4']);
});

/** A host of an earlier version, in this process. */
async function earlierHost(
  home: string,
  { isBusy, version = '0.0.1', wasReplaced }: { isBusy: boolean; version?: string; wasReplaced?: () => boolean },
): Promise<{ hasStopped(): boolean }> {
  const target = hostPlace(home);
  makeHostFolders(target);
  const lock = await lockSession(target.lock);
  const sessions = new SessionHost(async () => {
    throw new Error('not in this test');
  });
  const due: DueWork = {
    nextAt: () => (isBusy ? 0 : undefined),
    take: async () => await new Promise(() => {}), // it stays at work
    started: async () => {},
  };
  const host = new BackgroundHost({ sessions, dataFolder: home, due, onProblem: () => {} });
  let hasStopped = false;
  let server: Server | undefined;
  const stop = (): void => {
    hasStopped = true;
    server?.close();
    void host.end().then(() => lock.release());
  };
  const extend = helveMethods({
    host,
    index: new SessionIndex(home),
    dataFolder: home,
    optionsOf: async () => ({}),
    version,
    ...(wasReplaced && { wasReplaced }),
    onStop: stop,
    onProblem: () => {},
  });
  server = createServer((socket) => {
    const transport = socketTransport(socket, new AbortController().signal);
    const rest = { host: sessions, version, dataFolder: home, answerLimitMs: undefined };
    const agent = new AcpAgent(transport, { ...rest, checkModel: async () => {}, onProblem: () => {}, extend });
    void agent.serve().then(() => socket.destroy());
  });
  await new Promise<void>((listening) => server?.listen(target.socket, listening));
  onTestFinished(() => {
    if (!hasStopped) stop();
  });
  return { hasStopped: () => hasStopped };
}

test('an idle host of another version is replaced', async () => {
  const at = await place([{ text: 'Done.' }]);
  const earlier = await earlierHost(at.home, { isBusy: false });
  const { code, stderr } = await at.helve(['bg', 'go']);
  expect({ code, hasStopped: earlier.hasStopped() }).toEqual({ code: 0, hasStopped: true });
  expect(stderr).not.toContain('0.0.1');
  await stateIs(at, 'idle');
});

test('a busy host of another version keeps running, and the client says so', async () => {
  const at = await place([{ text: 'Done.' }]);
  const earlier = await earlierHost(at.home, { isBusy: true });
  const { stdout } = await at.helve(['host']);
  expect(stdout).toMatch(/^Helve 0\.0\.1, process \d+: 0 sessions have work\./);
  const { stderr } = await at.helve(['bg', 'go']);
  expect(stderr).toMatch(/The host process is Helve 0\.0\.1 and has work to do.*helve host stop ends it now/);
  expect(earlier.hasStopped()).toBe(false);
  expect(HELVE_PROTOCOL).toBe(1);
});

test.each([
  [false, 'is replaced'],
  [true, 'keeps running, and a prompt is not sent to it'],
])('a host whose program files were replaced, and that is busy: %s, %s', async (isBusy) => {
  const at = await place([{ text: 'Done.' }]);
  const earlier = await earlierHost(at.home, { isBusy, version: manifest.version, wasReplaced: () => true });
  const { code, stderr } = await at.helve(['bg', 'go']);
  expect({ code, hasStopped: earlier.hasStopped() }).toEqual({ code: isBusy ? 1 : 0, hasStopped: !isBusy });
  if (!isBusy) return await stateIs(at, 'idle');
  expect(stderr).toMatch(/The prompt was not sent\. The files of Helve were replaced.*helve host stop/);
});

test('a session of helve -p is listed while it runs, is not attached to, and is gone afterwards', async () => {
  const release = Promise.withResolvers<void>();
  const at = await place([{ text: 'Done.', holdAfter: { events: 1, until: release.promise } }]);
  const running = at.helve(['-p', 'look around']);
  await until(async () => (await at.ps()).length === 1);
  const [listed] = await at.ps();
  expect(listed).toMatchObject({ kind: 'print', state: 'running' });
  const { code, stderr } = await at.helve(['attach', String(listed?.['id'])]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/runs in helve -p \(process \d+\)/) });
  release.resolve();
  expect((await running).code).toBe(0);
  expect(await at.ps()).toEqual([]);
});

test('a client that attaches again gets what it has not seen, and all of a session that was opened anew', async () => {
  const at = await place([{ text: 'First.' }, { text: 'Second.' }]);
  const { stdout } = await at.helve(['bg', 'one']);
  const sessionId = stdout.trim();
  await stateIs(at, 'idle');
  const texts = async (after?: Record<string, unknown>) => {
    const client = await connected(at.home, { env: { PATH: process.env['PATH'] ?? '', ...at.env }, argv: [] });
    const seen = follow(client);
    const answer = await client.request('_helve/session/attach', { sessionId, ...(after && { after }) });
    await client.request('_helve/session/detach', { sessionId }); // what was sent before comes first
    const { epoch, seq, past } = answer;
    return { after: { epoch, seq: seen.seq ?? seq }, text: JSON.stringify([past, seen.entries]) };
  };
  const first = await texts();
  expect(first.text).toContain('First.');
  expect((await texts(first.after)).text).not.toContain('First.');
  await at.helve(['bg', 'two', '--resume', sessionId]);
  await stateIs(at, 'idle');
  const second = await texts(first.after);
  expect(second.text).toContain('Second.');
  expect(second.text).not.toContain('First.');
  expect((await texts({ epoch: 'of another host', seq: 1 })).text).toContain('First.');
  await at.helve(['stop', sessionId]);
  const reopened = await texts(second.after);
  expect(reopened.text).toContain('First.');
  expect(reopened.text).toContain('Second.');
});

test('a prompt in the background works towards its goal within its budget', async () => {
  const at = await place(() => ({ text: 'Done.' }));
  const goal = ['--until', 'test -e made.txt', '--allowed-tools', 'Bash(test *)', '--max-budget-turns', '2'];
  const { stdout } = await at.helve(['bg', 'make it', ...goal]);
  await stateIs(at, 'failed');
  expect((await at.ps())[0]?.['activity']).toMatch(/budget/i);
  const { stdout: log, stderr } = await at.helve(['logs', stdout.trim()]);
  expect(stderr).toMatch(/Its last prompt failed: .*budget/i);
  expect(log).toMatch(/not met yet \(check 2\)[\s\S]*Go on with the work: make it/);
  expect(log.match(/^Done\.$/gm)).toHaveLength(2);
});

test('a forged presence file neither breaks helve ps nor looks like several sessions', async () => {
  const at = await place([command('echo made > made.txt')]);
  await at.helve(['bg', 'make it']);
  await stateIs(at, 'waiting');
  const [{ id } = {}] = await at.ps();
  const path = (name: unknown): string => join(at.home, 'presence', `${name}.json`);
  const genuine = JSON.parse(readFileSync(path(id), 'utf8'));
  const forge = (name: string, more: object): void =>
    writeFileSync(path(name), JSON.stringify({ ...genuine, id: name, ...more }), { mode: 0o600 });
  forge('other-id', { id: '\u001b[2J' });
  forge('lines', { activity: 'one\n00000000  idle' });
  forge('late', { changed: 1e300 });
  forge('cheap', { costUsd: -1 });
  forge('reused', { surface: 'terminal', owner: { ...genuine.owner, started: 1 } });
  writeFileSync(path('large'), ' '.repeat(2_000_000), { mode: 0o600 });
  const { stdout, code } = await at.helve(['ps']);
  expect({ code, lines: stdout.trim().split('\n').slice(1) }).toEqual({
    code: 0,
    lines: [1, 2].map(() => expect.stringMatching(/ (?:one 00000000 idle|Bash echo made.*)$/)),
  });
  expect(await at.ps()).toHaveLength(2);
});

test('an id of another prompt, and an answer with a field that would be lost, are refused', async () => {
  const at = await place([command('echo made > made.txt')]);
  const send = async (text: string) => await at.helve(['bg', text, '--session-id', ID, '--prompt-id', 'p']);
  await send('make it');
  await stateIs(at, 'waiting');
  expect(await send('make another')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/not accepted.* given to another prompt/),
  });
  const client = await connected(at.home);
  const seen = follow(client);
  await client.request('_helve/session/attach', { sessionId: ID });
  await until(() => seen.open.size === 1);
  const [questionId = ''] = seen.open.keys();
  for (const more of [{ updatedInput: 5 }, { input: {} }, { mode: 'bypassPermissions' }]) {
    const answer = { behavior: 'allow', ...more };
    const sent = client.request('_helve/session/answer', { sessionId: ID, questionId, answer });
    await expect(sent).rejects.toThrow(/"answer/);
  }
  await at.helve(['stop', ID]);
  expect(existsSync(join(at.cwd, 'made.txt'))).toBe(false);
});

test('a session that was stopped does not go on, and can be continued', async () => {
  const at = await place([command('echo made > made.txt'), { text: 'Continued.' }]);
  const { stdout } = await at.helve(['bg', 'make it']);
  await stateIs(at, 'waiting');
  expect((await at.helve(['stop', '--all'])).stdout).toMatch(/^Stopped [0-9a-f]{8}\./);
  await stateIs(at, 'idle');
  await at.helve(['bg', 'and now?', '--resume', stdout.trim()]);
  await stateIs(at, 'idle');
  expect(existsSync(join(at.cwd, 'made.txt'))).toBe(false);
  expect((await at.helve(['logs', stdout.trim()])).stdout).toMatch(/> and now\?\n[\s\S]*Continued\.\n$/);
});

test('the end of the host says that it interrupted a session, whose prompts do not run again', async () => {
  const at = await place([command('echo made > made.txt'), { text: 'Again.' }]);
  await at.helve(['bg', 'make it']);
  await stateIs(at, 'waiting');
  const { stdout } = await at.helve(['host', 'stop']);
  expect(stdout).toMatch(
    /^The host process \d+ has ended\. 1 session was interrupted, and its prompts do not run again/,
  );
  expect((await at.ps())[0]).toMatchObject({ state: 'idle' });
});

test('a session whose host was killed can be stopped without a host', async () => {
  const at = await place([command('echo made > made.txt')]);
  await at.helve(['bg', 'make it']);
  await stateIs(at, 'waiting');
  const [{ pid } = {}] = await at.ps();
  process.kill(Number(pid), 'SIGKILL');
  await until(() => !isRunning(Number(pid)));
  await stateIs(at, 'waiting');
  await at.helve(['stop', '--all']);
  await stateIs(at, 'idle');
  expect((await at.helve(['host'])).stdout).toContain('No host process runs.');
});

test('a question that no one answers in time is denied, and the model is told', async () => {
  const at = await place([command('echo made > made.txt'), { text: 'Not made.' }]);
  writeFileSync(join(at.home, 'settings.json'), '{"background": {"answerMinutes": 0.001}}');
  const { stdout } = await at.helve(['bg', 'make it']);
  await stateIs(at, 'idle');
  expect(existsSync(join(at.cwd, 'made.txt'))).toBe(false);
  const { messages } = restoreSession(readSession(sessionFolder(at.home, stdout.trim())));
  expect(JSON.stringify(messages)).toMatch(/no one answered within .* background\.answerMinutes/);
  expect(JSON.stringify(messages.at(-1))).toContain('Not made.');
});

test('with a full disk the client gets the error, and nothing is half accepted', async ({ skip }) => {
  const folder = await emptyFolder();
  const script = `
mount -t tmpfs -o size=1m,mode=700 tmpfs "$HELVE_HOME" || exit 77
helve() { "$NODE" "$HELVE" "$@"; }
helve bg one --model "scripted/$SCRIPT" >/dev/null 2>&1 || exit 78
until helve ps --json | grep -q '"state":"idle"'; do :; done
dd if=/dev/zero of="$HELVE_HOME/full" bs=1k count=2000 2>/dev/null
helve bg two --model "scripted/$SCRIPT" --session-id 00000000-0000-4000-8000-000000000002; echo "code $?"
rm "$HELVE_HOME/full"
helve ps; ls "$HELVE_HOME"/sessions/*/prompts; helve host stop`;
  const answers0 = join(folder, 's.json');
  writeFileSync(answers0, JSON.stringify({ turns: [{ text: 'Done.' }] }));
  const home = await emptyFolder();
  const env = { PATH: process.env['PATH'], HOME: home, HELVE_HOME: home, NODE: process.execPath, SCRIPT: answers0 };
  const { stdout, stderr, status } = spawnSync('unshare', ['--mount', 'bash', '-c', script], {
    cwd: folder,
    env: { ...env, HELVE: resolve('bin/helve.cjs') },
    encoding: 'utf8',
  });
  if (status === 77 || (status !== 0 && stdout === '')) skip('a file system can not be mounted here');
  expect(stderr).toMatch(
    /The prompt was not accepted and does not run\. .* the disk is full \([\w ]+ needed, \d+ bytes free\)/,
  );
  expect(stdout).toContain('code 1');
  expect(stdout).not.toMatch(/two|00000000/);
  expect(stdout).toMatch(/idle .* one\n/);
});

test('a data folder with a path that is too long for a socket has its socket elsewhere, in a private folder', async () => {
  const home = join(await emptyFolder(), 'x'.repeat(120));
  const target = hostPlace(home);
  makeHostFolders(target);
  expect(target.socket).toMatch(/^\/tmp\/helve-host-\d+-[0-9a-f]{16}\/host\.sock$/);
  expect(statSync(join(target.socket, '..')).mode & 0o777).toBe(0o700);
  rmSync(join(target.socket, '..'), { recursive: true });
});

test.each([
  [['attach'], 'There is no session in the background. helve bg'],
  [['attach', 'a', 'b'], 'helve attach takes the id of one session, or last.'],
  [['attach', 'nope'], 'There is no session "nope" that runs or is in the background.'],
  [['logs', 'nope'], 'There is no session "nope"'],
  [['stop'], 'helve stop takes the ids of sessions, or last, or --all'],
  [['ps', 'x'], 'helve ps takes no argument such as "x".'],
  [['host', 'start'], 'helve host takes status or stop, but was given "start".'],
  [['bg', 'a', 'b'], '--bg takes one prompt, but there are 2: "a", "b".'],
  [['--bg'], 'There is no prompt.'],
  [['bg', 'x', '--nope'], 'There is no option --nope here.'],
])('helve %j says what is wrong', async (args, sentence) => {
  const home = await emptyFolder();
  const { code, stderr } = await runHelve(args, { env: { HELVE_HOME: home } });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) });
});
