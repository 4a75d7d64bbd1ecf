import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSession } from '../../src/agent/store/read-session.js';
import { restoreSession } from '../../src/agent/store/restore-session.js';
import { sessionFolder } from '../../src/agent/store/session-folder.js';
import type { Message } from '../../src/contract/message.js';
import { anthropicSseEvents } from '../../src/testing/anthropic-format.js';
import { type FakeAnswer, type FakeRequest, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { protocolViolations, type WireMessage } from '../../src/testing/protocol-violations.js';
import { isRunning, pidsIn, until } from '../../src/testing/watch-processes.js';
import { emptyFolder, fileAppears, runHelve } from '../cli/run-helve.js';
import { seeded, seedOfRun } from '../seeded.js';

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

/** One call, or two of which the second is at work for a while after the first has ended. */
const callsFor = (step: number): FakeAnswer['calls'] => [
  callFor(step),
  ...(step % 3 === 0 ? [{ name: 'Bash', input: { command: 'sleep 0.05; echo slept' } }] : []),
];

/**
 * The calls whose results were settled, with the hashes of these results, by the audit log. The last entry of each process
 * does not count: the process may have been killed before it was done with that.
 */
function settledCalls(home: string, id: string): Map<string, string> {
  const log = join(sessionFolder(home, id).path, 'audit.jsonl');
  const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
  const entries = text
    .split('\n')
    .map(parsedEntry)
    .filter((entry) => entry !== undefined);
  const isLast = (at: number): boolean => ['begin', 'resume', undefined].includes(entries[at + 1]?.type);
  return new Map(
    entries.flatMap(({ type, call, sha256 }, at) =>
      type === 'result' && !isLast(at) ? [[call, sha256] as const] : [],
    ),
  );
}

function parsedEntry(line: string): { type: string; call: string; sha256: string } | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // cut off by an earlier kill
  }
}

const resultsIn = (messages: readonly Message[]): Map<string, string> =>
  new Map(
    messages
      .flatMap(({ content }) => [...content])
      .flatMap((block) => {
        if (block.type !== 'tool_result') return [];
        const content = typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
        return [[block.tool_use_id, createHash('sha256').update(content).digest('hex')] as const];
      }),
  );

const seed = seedOfRun();

test(`a session that is killed at any moment resumes with a valid history and with all that was settled before: HELVE_SEED=${seed}`, {
  timeout: 3_600_000,
}, async () => {
  const random = seeded(seed);
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
    return step > TURNS ? { text: 'All done.' } : { text: `step ${step} of ${TURNS}`, calls: callsFor(step) };
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
          setTimeout(() => kill('SIGKILL'), random() * LATEST_MS);
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
    const kept = resultsIn(messages);
    const lost = [...settledCalls(home, id)].filter(([call, hash]) => kept.get(call) !== hash);
    expect(lost).toEqual([]);
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

test.for([
  { when: 'after the answer was complete', isHeld: false },
  { when: 'while the answer was being written', isHeld: true },
])('what was done before the program was killed $when is in the resumed history', async ({ isHeld }) => {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  await writeFile(join(cwd, 'notes.txt'), 'one\n');
  const never = Promise.withResolvers<void>();
  const thinking = { text: 'First I read.', signature: 'c2ln' };
  const calls = [
    { id: 'read', name: 'Read', input: { file_path: 'notes.txt' } },
    { id: 'edit', name: 'Edit', input: { file_path: 'notes.txt', old_string: 'one', new_string: 'two' } },
    { id: 'run', name: 'Bash', input: { command: 'touch begun; sleep 1000' } },
    { id: 'write', name: 'Write', input: { file_path: 'other.txt', content: 'x' } },
  ];
  // Held before its last two events, so that every call is complete and the message is not.
  const events = anthropicSseEvents({ thinking, text: 'I begin.', calls }).length - 2;
  const server = await startFakeModelServer([
    { thinking, text: 'I begin.', calls, ...(isHeld && { holdAfter: { events, until: never.promise } }) },
    { text: 'I go on.' },
  ]);
  onTestFinished(async () => {
    never.resolve();
    await server.close();
  });
  const env = { HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
  const id = randomUUID();
  const bypass = ['--permission-mode', 'bypassPermissions'];
  const killed = await runHelve(['-p', 'go', '--session-id', id, ...bypass], {
    cwd,
    env,
    onStart: (kill) => void fileAppears(cwd, 'begun').then(() => kill('SIGKILL')),
  });
  expect(killed.signal).toBe('SIGKILL');
  expect(await readFile(join(cwd, 'notes.txt'), 'utf8')).toBe('two\n');

  expect(await runHelve(['-p', 'go on', '--resume', id, ...bypass], { cwd, env })).toMatchObject({ code: 0 });
  expect(server.refused).toEqual([]);
  const [, asked, answered] = server.requests[1]?.body.messages ?? [];
  expect(asked?.content).toMatchObject([
    { type: 'thinking', thinking: 'First I read.', signature: 'c2ln' },
    { type: 'text', text: 'I begin.' },
    ...calls.map(({ id }) => ({ type: 'tool_use', id })),
  ]);
  expect(answered?.content).toMatchObject([
    { tool_use_id: 'read', content: '1\tone' },
    { tool_use_id: 'edit', content: expect.stringContaining('Edited notes.txt') },
    { tool_use_id: 'run', content: expect.stringContaining('its outcome is unknown'), is_error: true },
    { tool_use_id: 'write', content: expect.stringContaining('most likely did not run'), is_error: true },
  ]);
});
