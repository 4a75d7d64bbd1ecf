import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { listPresence } from '../../src/agent/store/presence.js';
import { readSession } from '../../src/agent/store/read-session.js';
import { restoreSession } from '../../src/agent/store/restore-session.js';
import { sessionFolder } from '../../src/agent/store/session-folder.js';
import { HostGone } from '../../src/cli/background/host-client.js';
import { type FakeAnswer, type FakeRequest, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { protocolViolations } from '../../src/testing/protocol-violations.js';
import { connectTo, follow, startHost } from '../cli/helve-host.js';
import { emptyFolder } from '../cli/run-helve.js';
import { seeded, seedOfRun } from '../seeded.js';

const isSoak = process.env['HELVE_SOAK'] !== undefined;
const KILLS = isSoak ? 300 : 20;
const SESSIONS = isSoak ? 20 : 4;
const STEPS = isSoak ? 40 : 10; // each asks for permission once
const LATEST_MS = isSoak ? 1_500 : 600; // after the host listens
const OPEN_SHARE = 0.2; // of the questions are left open until the next host

interface BackgroundSession {
  id: string;
  number: number;
  /** A prompt that is sent again after its connection broke. */
  isAccepted: boolean;
  hasEnded: boolean;
  /** A question that the client saw and did not answer. */
  leftOpen: string | undefined;
}

const seed = seedOfRun();

test(`a host that is killed at any moment loses nothing, runs nothing twice and asks open questions again: HELVE_SEED=${seed}`, {
  timeout: 3_600_000,
}, async () => {
  const random = seeded(seed);
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  const wrongKeys: string[] = [];
  const server = await startFakeModelServer((request) => answerTo(request, wrongKeys));
  onTestFinished(() => server.close());
  const sessions = Array.from({ length: SESSIONS }, (_, index): BackgroundSession => {
    const number = index + 1;
    return {
      id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      number,
      isAccepted: false,
      hasEnded: false,
      leftOpen: undefined,
    };
  });

  let kills = 0;
  while (sessions.some(({ hasEnded }) => !hasEnded)) {
    const host = await startHost(home);
    onTestFinished(() => void host.process.kill('SIGKILL'));
    const isKilled = kills < KILLS;
    const first = await connectTo(host, callerFor(1, server.url));
    const work = sessions.map(async (session) => {
      let client: Client | undefined;
      try {
        client = await connectTo(host, callerFor(session.number, server.url));
        await drive(session, client, { cwd, random, leavesOpen: isKilled });
      } catch (error) {
        if (!(error instanceof HostGone)) throw error; // it was killed
      } finally {
        client?.close();
      }
    });
    if (isKilled) {
      await delay(random() * LATEST_MS);
      host.process.kill('SIGKILL');
      kills += 1;
    }
    await Promise.all(work);
    first.close();
    if (!isKilled) host.process.kill('SIGTERM');
    await host.ended;
    expect(host.stderr()).toBe('');
    const listed = await listPresence(home);
    for (const { id, isAccepted, hasEnded, leftOpen } of sessions) {
      const state = listed.find((one) => one.id === id)?.state;
      if (leftOpen !== undefined) expect(state).toBe('waiting');
      else if (isAccepted && !hasEnded) expect(['waiting', 'interrupted', 'idle']).toContain(state);
    }
  }

  expect(kills).toBe(KILLS);
  expect(wrongKeys).toEqual([]);
  expect(server.refused).toEqual([]);
  for (const { id, number } of sessions) {
    const { messages, promptIds, isUnfinished } = restoreSession(readSession(sessionFolder(home, id)));
    expect(protocolViolations({ model: 'm', max_tokens: 1, messages: messages.slice(0, -1) })).toEqual([]);
    expect([promptIds, isUnfinished]).toEqual([[`prompt-${number}`], false]);
    const text = JSON.stringify(messages);
    const file = join(cwd, `made-${number}.txt`);
    const made = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
    expect(made).toEqual([...new Set(made)]); // nothing ran twice
    const results = messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_result'));
    const unknown = results.filter(({ content }) => JSON.stringify(content).includes('outcome is unknown')).length;
    const done = results.filter(({ is_error }) => !is_error).length;
    // What was not interrupted has run, and the person's yes was never turned into something else.
    expect(made.length).toBeGreaterThanOrEqual(done);
    expect(done + unknown).toBe(STEPS);
    expect(text.match(/step \d+ of/g)).toHaveLength(STEPS);
  }
});

type Client = Awaited<ReturnType<typeof connectTo>>;

/** Sends the prompt until it is accepted, follows the session, and answers its questions, until its prompt has ended. */
async function drive(
  session: BackgroundSession,
  client: Client,
  { cwd, random, leavesOpen }: { cwd: string; random: () => number; leavesOpen: boolean },
): Promise<void> {
  const { id: sessionId, number } = session;
  const seen = follow(client);
  if (!session.isAccepted || random() < 0.2) {
    const prompt = [{ type: 'text', text: `session ${number}: go` }];
    const { isNew } = await client.request('_helve/prompt', {
      sessionId,
      promptId: `prompt-${number}`,
      cwd,
      prompt,
      mcpServers: [],
    });
    if (session.isAccepted) expect(isNew).toBe(false);
    session.isAccepted = true;
  }
  const expected = session.leftOpen;
  await client.request('_helve/session/attach', { sessionId });
  for (;;) {
    const [question] = seen.open.values();
    if (question) {
      if (expected !== undefined && seen.questions.length === 1) expect(question.callId).toBe(expected);
      // The first session leaves each open, so that there is work until the last kill, however quick the machine is.
      if (leavesOpen && (random() < OPEN_SHARE || number === 1)) {
        session.leftOpen = question.callId;
        await client.closed;
        return;
      }
      session.leftOpen = undefined;
      const answer = { behavior: 'allow' };
      await client.request('_helve/session/answer', { sessionId, questionId: question.id, answer });
      if (seen.open.has(question.id)) await seen.changed();
      continue;
    }
    if (seen.entries.some(({ kind, outcome }) => kind === 'end' && outcome === 'completed')) {
      session.hasEnded = true;
      return;
    }
    if (session.hasEnded || (await isOver(client, seen.entries))) {
      session.hasEnded = true;
      return;
    }
    await seen.changed();
    if (client.isClosed) throw new HostGone('killed');
  }
}

/** It ended in an earlier host, after which its client saw nothing of it. */
async function isOver(_: Client, entries: ReadonlyArray<Readonly<Record<string, unknown>>>): Promise<boolean> {
  return entries.some(({ kind, state }) => kind === 'state' && state === 'idle') && entries.length === 1;
}

const callerFor = (number: number, url: string) => ({
  env: {
    PATH: process.env['PATH'] ?? '',
    ANTHROPIC_API_KEY: `key-${number}`,
    ANTHROPIC_BASE_URL: url,
    HELVE_MODEL: 'anthropic/claude-sonnet-4-5',
  },
  argv: [],
});

function answerTo({ body, headers }: FakeRequest, wrongKeys: string[]): FakeAnswer {
  const text = JSON.stringify(body.messages);
  const number = Number(/session (\d+): go/.exec(text)?.[1]);
  const key = headers['x-api-key'];
  if (key !== `key-${number}`) wrongKeys.push(`${number}: ${key}`);
  const steps = [...text.matchAll(/step (\d+) of/g)].map(([, step]) => Number(step));
  const step = Math.max(0, ...steps) + 1;
  if (step > STEPS) return { text: 'All done.' };
  const command = `echo ${step} >> made-${number}.txt`;
  return { text: `step ${step} of ${STEPS}`, calls: [{ name: 'Bash', input: { command } }] };
}
