import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Message } from '../../contract/message.js';
import { resumeSession } from './resume-session.js';
import { SessionStore } from './session-store.js';

const usage = { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

async function sessionOf(prompts: readonly string[]) {
  const dataFolder = await realpath(await mkdtemp(join(tmpdir(), 'helve-fork-')));
  onTestFinished(() => rm(dataFolder, { recursive: true }));
  const options = { dataFolder, id: 'abc', root: tmpdir(), model: 'm' };
  const store = new SessionStore(options);
  await store.open();
  for (const prompt of prompts) {
    store.prompt([{ type: 'text', text: prompt }]);
    store.take({ type: 'turn_start', turn: 1 });
    const content = [{ type: 'text' as const, text: `answer to ${prompt}` }];
    store.take({ type: 'assistant_message', message: { role: 'assistant', content }, id: 'x', model: 'm' });
    store.take({ type: 'turn_end', turn: 1, stopReason: 'end_turn', usage });
    await store.flushed();
  }
  return { options, store };
}

const textsOf = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'text' ? [block.text] : [])));

test.each([
  [1, ['one', 'answer to one']],
  [2, ['one', 'answer to one', 'two', 'answer to two']],
  [9, ['one', 'answer to one', 'two', 'answer to two', 'three', 'answer to three']],
])(
  'a fork before prompt %i has the conversation up to it, even while the session is in use',
  async (beforePrompt, said) => {
    const { options, store } = await sessionOf(['one', 'two', 'three']);
    const fork = await resumeSession({ ...options, fork: true, beforePrompt });
    expect(textsOf(fork.restored.messages)).toEqual(said);
    await fork.store.close();
    await store.close();
    const whole = await resumeSession(options);
    expect(textsOf(whole.restored.messages)).toHaveLength(6);
    await whole.store.close();
  },
);
