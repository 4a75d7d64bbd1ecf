import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BackgroundHost, type DueWork, type HandedPrompt } from './background-host.js';
import { ConversationRefused } from './hosted-conversation.js';
import { SessionHost } from './session-host.js';

test('work that is due is asked for at its time and handed to a session, and keeps the host busy until then', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'helve-host-'));
  const prompt: HandedPrompt = {
    sessionId: 'abc',
    promptId: 'due-1',
    content: [{ type: 'text', text: 'go' }],
    place: { root: dataFolder },
  };
  const ended = Promise.withResolvers<string | undefined>();
  let waiting: HandedPrompt[] = [prompt];
  const due: DueWork = {
    nextAt: () => (waiting.length > 0 ? Date.now() : undefined),
    take: async () => {
      const all = waiting;
      waiting = [];
      return all;
    },
    started: async (_, why) => ended.resolve(why),
  };
  const opened: string[] = [];
  const sessions = new SessionHost(async ({ id = '' }) => {
    opened.push(id);
    throw new ConversationRefused('no_model', 'No model is set up.');
  });
  const problem = Promise.withResolvers<string>();
  const host = new BackgroundHost({ sessions, dataFolder, due, onProblem: problem.resolve });
  expect([host.isBusy, host.isNeeded]).toEqual([false, true]);
  expect(await problem.promise).toBe('No model is set up.');
  expect(opened).toEqual(['abc']);
  expect(await ended.promise).toBe('No model is set up.');
  expect(host.isNeeded).toBe(false);
  await host.end();
});
