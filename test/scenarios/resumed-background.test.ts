import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeAnswer, type FakeRequest, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { until } from '../../src/testing/watch-processes.js';
import { emptyFolder, runHelve } from '../cli/run-helve.js';

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
