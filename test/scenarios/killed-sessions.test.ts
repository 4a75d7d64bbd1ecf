import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSession } from '../../src/agent/store/read-session.js';
import { restoreSession } from '../../src/agent/store/restore-session.js';
import { sessionFolder } from '../../src/agent/store/session-folder.js';
import { type FakeAnswer, type FakeRequest, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { protocolViolations, type WireMessage } from '../../src/testing/protocol-violations.js';
import { isRunning, pidsIn, until } from '../../src/testing/watch-processes.js';
import { emptyFolder, runHelve } from '../cli/run-helve.js';

const KILLS = process.env['HELVE_SOAK'] ? 1_000 : 15;
const TURNS = 30;
const LATEST_MS = 200; // after the first request of a run, which is about as long as thirty turns take

/** The steps that stand in a history, by what the model said with each. */
const stepsIn = (
  messages: readonly { role: string; content: WireMessage['content'] | readonly unknown[] }[],
): Set<number> =>
  new Set(
    messages
      .filter(({ role }) => role === 'assistant')
      .flatMap(({ content }) =>
        [...JSON.stringify(content).matchAll(/step (\d+) of/g)].map(([, step]) => Number(step)),
      ),
  );

/** Edits, commands that change files, commands in the background, and reads, by turns. */
function callFor(step: number): NonNullable<FakeAnswer['calls']>[number] {
  const kinds = [
    { name: 'Read', input: { file_path: 'notes.txt' } },
    { name: 'Edit', input: { file_path: 'notes.txt', old_string: 'end', new_string: `line ${step}\nend` } },
    { name: 'Bash', input: { command: `echo ${step} >> made.txt` } },
    { name: 'Write', input: { file_path: `file-${step}.txt`, content: `${step}\n` } },
    { name: 'Bash', input: { command: 'echo $$ >> pids; exec sleep 1000', run_in_background: true } },
  ];
  const kind = kinds[step % kinds.length];
  if (!kind) throw new Error('There is a kind for every step.');
  return kind;
}

test('a session that is killed at any moment resumes with a valid history and without the loss of a complete turn', {
  timeout: 3_600_000,
}, async () => {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  const pids = join(cwd, 'pids');
  const left = (): number[] => (existsSync(pids) ? pidsIn(pids).filter(isRunning) : []);
  onTestFinished(() => {
    for (const pid of left()) process.kill(pid, 'SIGKILL');
  });
  await writeFile(join(cwd, 'notes.txt'), 'begin\nend\n');

  let complete = new Set<number>();
  let onFirstRequest = (): void => {};
  const answer = ({ body }: FakeRequest): FakeAnswer => {
    onFirstRequest();
    const done = stepsIn(body.messages);
    // What comes back with its results is complete, and must never be lost again.
    complete = complete.union(done);
    const step = Math.max(0, ...done) + 1;
    return step > TURNS ? { text: 'All done.' } : { text: `step ${step} of ${TURNS}`, calls: [callFor(step)] };
  };
  const server = await startFakeModelServer(answer);
  onTestFinished(() => server.close());
  const options = { cwd, env: { HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url } };

  let kills = 0;
  let sessions = 0;
  let sessionId: string | undefined;
  while (kills < KILLS) {
    const id = sessionId ?? randomUUID();
    if (sessionId === undefined) {
      sessions += 1;
      complete = new Set();
    }
    const where = sessionId === undefined ? ['--session-id', id] : ['--resume', id];
    const run = await runHelve(['-p', 'go on', ...where, '--permission-mode', 'bypassPermissions'], {
      ...options,
      onStart: (kill) => {
        onFirstRequest = () => {
          onFirstRequest = () => {};
          setTimeout(() => kill('SIGKILL'), Math.random() * LATEST_MS);
        };
      },
    });
    expect(server.refused).toEqual([]);
    if (run.signal !== 'SIGKILL') {
      expect(run).toMatchObject({ code: 0, stdout: 'All done.\n' });
      sessionId = undefined;
      continue;
    }
    kills += 1;
    sessionId = id;
    const { messages } = restoreSession(readSession(sessionFolder(home, id)));
    expect(protocolViolations({ model: 'm', max_tokens: 1, messages })).toEqual([]);
    expect([...complete.difference(stepsIn(messages))]).toEqual([]);
  }
  if (sessionId !== undefined) {
    const last = await runHelve(
      ['-p', 'go on', '--resume', sessionId, '--permission-mode', 'bypassPermissions'],
      options,
    );
    expect(last).toMatchObject({ code: 0, stdout: 'All done.\n' });
    expect([
      ...complete.difference(stepsIn(restoreSession(readSession(sessionFolder(home, sessionId))).messages)),
    ]).toEqual([]);
  }
  expect(sessions).toBeGreaterThan(0);
  expect(server.refused).toEqual([]);
  expect(await readFile(join(cwd, 'notes.txt'), 'utf8')).toMatch(/^begin\n(line \d+\n)*end\n$/);
  await until(() => left().length === 0);
});
