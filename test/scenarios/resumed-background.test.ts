import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeAnswer, type FakeRequest, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { until } from '../../src/testing/watch-processes.js';
import { emptyFolder, isRunning, runHelve } from '../cli/run-helve.js';

const started = /Command running in background with ID: (b[0-9a-f]{8})\. Output is being written to: (\S+)\./;

test.for(['is killed', 'ends'])(
  'when Helve %s, the resumed model learns what became of its background command',
  async (how) => {
    const [cwd, home, id] = [await emptyFolder(), await emptyFolder(), randomUUID()];
    let kill = (): void => {};
    const never = new Promise<void>(() => {});
    const answer = ({ text }: FakeRequest, number: number): FakeAnswer => {
      if (number === 0) {
        const input = { command: 'echo built; exec sleep 1000', run_in_background: true };
        return { calls: [{ id: 'start', name: 'Bash', input }] };
      }
      if (number === 1 && how === 'is killed') {
        const [, , file = ''] = started.exec(text) ?? [];
        void until(() => existsSync(file) && readFileSync(file, 'utf8').includes('built')).then(kill);
        return { text: 'It runs.', holdAfter: { events: 0, until: never } };
      }
      const isResumed = text.includes('RESUMED-HERE') && !text.includes('"look"');
      const [, command = ''] = started.exec(text) ?? [];
      return isResumed
        ? { calls: [{ id: 'look', name: 'BashOutput', input: { bash_id: command } }] }
        : { text: 'Understood.' };
    };
    const server = await startFakeModelServer(answer);
    onTestFinished(() => server.close());
    const env = { HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
    const by = ['--permission-mode', 'bypassPermissions'];
    await runHelve(['-p', 'go', '--session-id', id, ...by], {
      cwd,
      env,
      onStart: (send) => {
        kill = () => send('SIGKILL');
      },
    });
    const before = server.requests.length;
    const resume = (prompt: string) => runHelve(['-p', prompt, '--resume', id, ...by], { cwd, env });
    expect((await resume('RESUMED-HERE')).code).toBe(0);

    const [first, second] = server.requests.slice(before).map(({ body }) => JSON.stringify(body.messages));
    const [, command = '', file = ''] = started.exec(first ?? '') ?? [];
    const reminder = `About the background command ${command} (echo built; exec sleep 1000): it ended when Helve ended, before the session was resumed. What it wrote is in ${file}.`;
    expect(first).toContain(reminder);
    expect(second).toContain('Status: killed (it ended when Helve ended');
    expect(second).toMatch(/Output file: [^"]*\\nbuilt/);

    // Once: the history has it from then on.
    expect((await resume('and once more')).code).toBe(0);
    const last = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(last.split(reminder)).toHaveLength(2);
    expect(server.refused).toEqual([]);
  },
);

test('after a kill, the resumed model learns the exit code of a background command that had ended before', async () => {
  const [cwd, home, id] = [await emptyFolder(), await emptyFolder(), randomUUID()];
  let kill = (): void => {};
  const never = new Promise<void>(() => {});
  const answer = ({ text }: FakeRequest, number: number): FakeAnswer => {
    if (number === 0) {
      const input = { command: 'echo built; exit 3', run_in_background: true };
      return { calls: [{ id: 'start', name: 'Bash', input }] };
    }
    if (number === 1) {
      const [, , file = ''] = started.exec(text) ?? [];
      void until(() => existsSync(`${file}.ended`)).then(kill);
      return { text: 'It runs.', holdAfter: { events: 0, until: never } };
    }
    return { text: 'Understood.' };
  };
  const server = await startFakeModelServer(answer);
  onTestFinished(() => server.close());
  const env = { HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
  const by = ['--permission-mode', 'bypassPermissions'];
  const onStart = (send: (signal: NodeJS.Signals) => void): void => {
    kill = () => send('SIGKILL');
  };
  await runHelve(['-p', 'go', '--session-id', id, ...by], { cwd, env, onStart });
  expect((await runHelve(['-p', 'go on', '--resume', id, ...by], { cwd, env })).code).toBe(0);
  const resumed = JSON.stringify(server.requests.at(-1)?.body.messages);
  expect(resumed).toContain('it had ended with exit code 3 before Helve ended');
  expect(resumed).not.toContain('it ended when Helve ended');
});

test('a kill while the data folder cannot be written loses nothing, and its background command is ended', async () => {
  const [cwd, top, id] = [await emptyFolder(), await emptyFolder(), randomUUID()];
  const home = join(top, 'data');
  await writeFile(home, 'a file in the place of the data folder');
  await writeFile(join(cwd, 'notes.txt'), 'one\n');
  await mkdir(join(top, 'tmp'));
  let kill = (): void => {};
  const never = new Promise<void>(() => {});
  const pid = (): number => Number(readFileSync(join(cwd, 'pid'), 'utf8'));
  const bash = { command: 'echo $$ > pid.new; mv pid.new pid; exec sleep 1000', run_in_background: true };
  const answer = (_: FakeRequest, number: number): FakeAnswer => {
    if (number === 0) return { calls: [{ id: 'read', name: 'Read', input: { file_path: 'notes.txt' } }] };
    if (number === 1) {
      const input = { file_path: 'notes.txt', old_string: 'one', new_string: 'two' };
      return { calls: [{ id: 'edit', name: 'Edit', input }] };
    }
    if (number === 2) return { calls: [{ id: 'start', name: 'Bash', input: bash }] };
    if (number === 3) {
      void until(() => existsSync(join(cwd, 'pid'))).then(() => kill());
      return { text: 'It runs.', holdAfter: { events: 0, until: never } };
    }
    return { text: 'Understood.' };
  };
  const server = await startFakeModelServer(answer);
  onTestFinished(() => server.close());
  const keys = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
  const env = { ...keys, HELVE_HOME: home, TMPDIR: join(top, 'tmp') };
  const by = ['--permission-mode', 'bypassPermissions'];
  const onStart = (send: (signal: NodeJS.Signals) => void): void => {
    kill = () => send('SIGKILL');
  };
  await runHelve(['-p', 'go', '--session-id', id, ...by], { cwd, env, onStart });
  expect(isRunning(pid())).toBe(true);
  await rm(home);
  const resumed = await runHelve(['-p', 'go on', '--resume', id, ...by], { cwd, env });
  expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining(`The session ${id} could not be written`) });
  const messages = JSON.stringify(server.requests.at(-1)?.body.messages);
  for (const part of ['notes.txt', '"edit"', '"start"', 'it ended when Helve ended']) expect(messages).toContain(part);
  expect(isRunning(pid())).toBe(false);
  const undone = await runHelve(['undo', '--call', 'edit', '--session', id, '--yes'], { cwd, env });
  expect(undone).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe('one\n');
  expect((await readdir(join(top, 'tmp'))).filter((name) => name.startsWith('helve-data-'))).toEqual([]);
});
