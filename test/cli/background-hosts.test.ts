import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dueSchedules } from '../../src/cli/background/due-schedules.js';
import { HostClient } from '../../src/cli/background/host-client.js';
import { hostPlace } from '../../src/cli/background/host-place.js';
import { storeKey } from '../../src/models/catalogue/store-key.js';
import { type FakeAnswers, startFakeModelServer } from '../../src/testing/index.js';
import { isRunning, until } from '../../src/testing/watch-processes.js';
import { startAcp } from '../hosts/acp-client.js';
import { follow } from './helve-host.js';
import { emptyFolder, type HelveRun, jsonLines, runHelve } from './run-helve.js';

async function place(answers: FakeAnswers, { more = {}, home }: { more?: Record<string, string>; home?: string } = {}) {
  const cwd = await emptyFolder();
  const dataFolder = home ?? (await emptyFolder());
  const server = await startFakeModelServer(answers);
  const env = { HELVE_HOME: dataFolder, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url, ...more };
  const helve = async (...args: readonly string[]): Promise<HelveRun> => await runHelve(args, { cwd, env });
  onTestFinished(async () => {
    await helve('host', 'stop');
    await server.close();
  });
  const ps = async () => jsonLines((await helve('ps', '--json')).stdout);
  const stateIs = async (state: string): Promise<void> =>
    await until(async () => (await ps()).every((session) => session['state'] === state));
  return { cwd, home: dataFolder, env, server, helve, ps, stateIs };
}

/** A key that is stored, as with /key: the host has no other. */
async function withKey({ home, server }: { home: string; server: { url: string } }): Promise<void> {
  writeFileSync(join(home, 'models.json'), JSON.stringify({ providers: { anthropic: { baseUrl: server.url } } }));
  expect(await storeKey('ANTHROPIC_API_KEY', 'sk-stored', { HELVE_HOME: home })).toBeUndefined();
}

const yearAgo = (): string => new Date(Date.now() - 400 * 86_400_000).toISOString();

/** Changes the one schedule in the file. */
function changeSchedule(home: string, change: Readonly<Record<string, unknown>>): void {
  const path = join(home, 'schedules.json');
  const { schedules } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ schedules: [{ ...schedules[0], ...change }] }));
}

test('a schedule whose earlier session still runs waits for it, says so, and runs after it', async () => {
  const held = Promise.withResolvers<void>();
  const at = await place([{ text: 'Done at last.', holdAfter: { events: 2, until: held.promise } }]);
  await withKey(at);
  await at.helve('schedule', 'add', '@yearly', 'look around', '--max-budget-usd', '1');
  const session = (await at.helve('bg', 'look around')).stdout.trim();
  changeSchedule(at.home, { created: yearAgo(), taken: yearAgo(), last: { outcome: 'started', session } });
  const told: string[] = [];
  const due = dueSchedules(at.home, (sentence) => void told.push(sentence));
  expect(await due.take(Date.now())).toEqual([]);
  const sentence = `The session ${session.slice(0, 8)} of an earlier time still runs. This time runs after it.`;
  expect(told).toEqual([expect.stringContaining(sentence)]);
  expect((await at.helve('ps')).stderr).toContain(sentence);
  held.resolve();
  await at.stateIs('idle');
  expect(await due.take(Date.now())).toMatchObject([{ content: [{ type: 'text', text: 'look around' }] }]);
  expect(await due.take(Date.now())).toEqual([]);
});

test('a host that is killed when it takes a due time runs that time once or says that it was missed', async () => {
  const at = await place(() => ({ text: 'Done.' }));
  await withKey(at);
  await at.helve('schedule', 'add', '@yearly', 'look around', '--max-budget-usd', '1');
  await at.helve('host', 'stop');
  changeSchedule(at.home, { created: yearAgo() });
  const read = (): string => readFileSync(join(at.home, 'schedules.json'), 'utf8');
  const taken = Promise.withResolvers<void>();
  const watcher = watch(at.home, () => {
    if (existsSync(join(at.home, 'schedules.json')) && read().includes('"taken"')) taken.resolve();
  });
  onTestFinished(() => watcher.close());
  await at.helve('bg', 'another prompt');
  const { stdout } = await at.helve('host');
  const pid = Number(/process (\d+)/.exec(stdout)?.[1]);
  await taken.promise;
  process.kill(pid, 'SIGKILL');
  await until(() => !isRunning(pid));
  const wasAccepted = !read().includes('"outcome": "taken"');
  await at.helve('bg', 'a third prompt');
  await until(() => at.server.requests.some(({ text }) => text.includes('a third prompt')));
  const runs = at.server.requests.filter(({ text }) => text.includes('look around'));
  expect(runs.length).toBeLessThanOrEqual(1);
  const { stdout: list } = await at.helve('schedule', 'list');
  expect(list).toMatch(wasAccepted ? /started at/ : /(?:missed|started) at/);
});

test('a host without work and clients ends after its idle time, and the next client starts another', async () => {
  const at = await place(() => ({ text: 'Done.' }), { more: { HELVE_HOST_IDLE_MS: '150' } });
  await at.helve('bg', 'go');
  const [{ pid } = {}] = await at.ps();
  await until(() => !isRunning(Number(pid)));
  expect(existsSync(hostPlace(at.home).socket)).toBe(false);
  expect((await at.helve('host')).stdout + (await at.helve('host')).stderr).toContain('No host process runs.');
  expect((await at.ps())[0]).toMatchObject({ state: 'idle', title: 'go' });
  expect(await at.helve('bg', 'again')).toMatchObject({ code: 0 });
  await until(() => at.server.requests.length === 2);
});

test('a session that is stopped while its question is open withdraws it everywhere, and the call does not run', async () => {
  const at = await place([{ text: 'I run it.', calls: [{ name: 'Bash', input: { command: 'echo x > x.txt' } }] }]);
  const id = (await at.helve('bg', 'go')).stdout.trim();
  const client = await HostClient.connect(hostPlace(at.home).socket);
  onTestFinished(() => client?.close());
  if (!client) throw new Error('No host runs.');
  const seen = follow(client);
  await client.request('_helve/session/attach', { sessionId: id });
  await until(() => seen.open.size === 1);
  const [question] = seen.open.values();
  expect(await at.helve('stop', id)).toMatchObject({ code: 0, stdout: expect.stringContaining('Stopped') });
  await until(() => seen.open.size === 0);
  const answer = { sessionId: id, questionId: question?.id ?? '', answer: { behavior: 'allow' } };
  await expect(client.request('_helve/session/answer', answer)).rejects.toThrow('is not open');
  expect(existsSync(join(at.cwd, 'x.txt'))).toBe(false);
  expect((await at.ps())[0]).toMatchObject({ state: 'idle' });
});

test('a data folder with a path that is too long for a socket has background sessions as any other', async () => {
  const home = join(await emptyFolder(), 'x'.repeat(120));
  const at = await place([{ text: 'Done.' }], { home });
  expect(await at.helve('bg', 'go')).toMatchObject({ code: 0 });
  await at.stateIs('idle');
  expect((await at.helve('host')).stdout).toMatch(/It listens on \/tmp\/helve-host-\d+-[0-9a-f]{16}\/host\.sock/);
});

test('with a home folder that is read-only, helve bg says so and nothing runs', async ({ skip }) => {
  const [folder, home] = [await emptyFolder(), await emptyFolder()];
  const script = `mount -t tmpfs -o ro tmpfs "$HOME" || exit 77
"$NODE" "$HELVE" bg x --model scripted/s.json; echo "code $?"; "$NODE" "$HELVE" ps; echo "code $?"`;
  writeFileSync(join(folder, 's.json'), JSON.stringify({ turns: [{ text: 'Done.' }] }));
  const env = { PATH: process.env['PATH'], HOME: home, NODE: process.execPath, HELVE: resolve('bin/helve.cjs') };
  const run = spawnSync('unshare', ['--mount', 'bash', '-c', script], { cwd: folder, env, encoding: 'utf8' });
  if (run.status !== 0) skip('a file system can not be mounted here');
  expect(run.stdout).toBe('code 1\ncode 0\n');
  expect(run.stderr).toContain("can't be written: its file system is read-only. Make it writable, or set HELVE_HOME");
});

test('a session of an editor is listed with its state, is not attached to or stopped, and is gone with its client', async () => {
  const home = await emptyFolder();
  const client = await startAcp(
    [{ text: 'I run it.', calls: [{ name: 'Bash', input: { command: 'echo x > x.txt' } }] }, { text: 'Done.' }],
    { env: { HELVE_HOME: home } },
  );
  const helve = async (...args: readonly string[]) => await runHelve(args, { env: { HELVE_HOME: home } });
  const ps = async () => jsonLines((await helve('ps', '--json')).stdout);
  await client.initialize({});
  const sessionId = await client.newSession();
  client.reply = () => 'none';
  const prompt = client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
  await until(async () => (await ps())[0]?.['state'] === 'waiting');
  expect(await ps()).toMatchObject([
    {
      id: sessionId,
      kind: 'acp',
      root: client.cwd,
      title: 'go',
      activity: 'Bash echo x > x.txt',
      pid: client.child.pid,
    },
  ]);
  expect((await helve('ps')).stdout).toMatch(/waiting for you .*\(editor\)/);
  const place = `runs in an editor or another client of helve acp (process ${client.child.pid})`;
  expect(await helve('attach', sessionId)).toMatchObject({ code: 2, stderr: expect.stringContaining(place) });
  expect(await helve('stop', sessionId)).toMatchObject({ code: 2, stderr: expect.stringContaining(place) });
  client.send({ method: 'session/cancel', params: { sessionId } });
  expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
  client.child.stdin?.end();
  await client.closed;
  expect(await ps()).toEqual([]);
});
