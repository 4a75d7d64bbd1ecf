import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../compose/create-agent.js';
import type { Message } from '../../contract/message.js';
import type { Model, ModelEvent } from '../../contract/model.js';
import { temporaryProject } from '../../testing/temporary-project.js';
import { Conversation } from './conversation.js';
import type { OpenedSession } from './opened-session.js';

const words = (text: string): ModelEvent[] => [
  { type: 'text_delta', text },
  { type: 'block', block: { type: 'text', text } },
  { type: 'message_end', stopReason: 'end_turn', usage: noUsage },
];
const noUsage = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const listing: ModelEvent[] = [
  { type: 'call_start', index: 0, id: 'c1', name: 'LS' },
  { type: 'call_input', index: 0, json: '{"path":"."}' },
  { type: 'call_end', index: 0 },
  { type: 'message_end', stopReason: 'tool_use', usage: noUsage },
];

/** A conversation with a model that waits before each answer until it is released. */
async function converse(...answers: ModelEvent[][]) {
  const project = await temporaryProject({});
  onTestFinished(() => project.remove());
  const requests: Message[][] = [];
  const gates = answers.map(() => Promise.withResolvers<void>());
  const arrived = answers.map(() => Promise.withResolvers<void>());
  const model: Model = {
    provider: 'test',
    name: 'test',
    maxOutputTokens: 1000,
    async *stream({ messages }, signal) {
      const number = requests.length;
      requests.push(structuredClone([...messages]));
      arrived[number]?.resolve();
      const aborted = new Promise<void>((done) => signal.addEventListener('abort', () => done()));
      await Promise.race([gates[number]?.promise, aborted]);
      signal.throwIfAborted();
      yield* answers[number] ?? [];
    },
  };
  const agent = createAgent({ model, root: project.root, dataFolder: project.path('../data'), retries: false });
  onTestFinished(() => agent.end());
  const seen: string[] = [];
  // Only the part that a conversation uses.
  const session = { agent, engine: agent.engine, begin: () => {}, withoutModel: undefined } as unknown as OpenedSession;
  const conversation = new Conversation({
    session: () => session,
    onEvent: (event) => {
      if (event.type === 'result') seen.push(`result ${event.outcome}`);
    },
    onSaid: ({ text }) => seen.push(`said ${text}`),
    onChange: () => {},
    onProblem: (sentence) => seen.push(`problem ${sentence}`),
    onBegin: () => seen.push('begin'),
    onResult: async () => undefined,
    onRest: () => seen.push('rest'),
  });
  return { conversation, requests, seen, arrived, letGo: (number: number) => gates[number]?.resolve() };
}

const textsOf = (messages: readonly Message[] = []): string[] =>
  messages.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
  );

test('a prompt that is sent while the model works is delivered with the results of its calls', async () => {
  const { conversation, requests, seen, arrived, letGo } = await converse(listing, words('Done.'));
  conversation.say({ text: 'look around' });
  await arrived[0]?.promise;
  conversation.say({ text: 'and be brief' });
  expect(conversation.waiting).toEqual([{ text: 'and be brief' }]);
  letGo(0);
  letGo(1);
  await conversation.atRest();
  expect(textsOf(requests[1])).toEqual(['look around', 'and be brief']);
  expect(seen).toEqual(['begin', 'said look around', 'said and be brief', 'result completed', 'rest']);
});

test('text that is too late for a step becomes the next prompt', async () => {
  const { conversation, requests, seen, arrived, letGo } = await converse(words('One.'), words('Two.'));
  conversation.say({ text: 'first' });
  await arrived[0]?.promise;
  conversation.say({ text: 'second' });
  letGo(0);
  letGo(1);
  await conversation.atRest();
  expect(textsOf(requests[1])).toEqual(['first', 'second']);
  expect(seen.filter((one) => one.startsWith('result'))).toEqual(['result completed', 'result completed']);
});

test("a user's own command waits for its own run, and so does everything after it", async () => {
  const { conversation, requests, arrived, letGo } = await converse(
    listing,
    words('One.'),
    words('Two.'),
    words('Three.'),
  );
  conversation.say({ text: 'look' });
  await arrived[0]?.promise;
  conversation.say({ text: '/review' });
  conversation.say({ text: 'after it' });
  for (const number of [0, 1, 2, 3]) letGo(number);
  await conversation.atRest();
  expect(textsOf(requests[1])).toEqual(['look']);
  expect(textsOf(requests[2])).toEqual(['look', '/review']);
  expect(textsOf(requests[3])).toEqual(['look', '/review', 'after it']);
});

test('an interrupt ends the run, and withdrawn prompts are not sent', async () => {
  const { conversation, requests, seen, arrived } = await converse(words('never'));
  conversation.say({ text: 'first' });
  await arrived[0]?.promise;
  conversation.say({ text: 'second' });
  expect(conversation.takeBack()).toEqual([{ text: 'second' }]);
  expect(conversation.interrupt()).toBe(true);
  await conversation.atRest();
  expect(requests).toHaveLength(1);
  expect(seen).toEqual(['begin', 'said first', 'result interrupted', 'rest']);
  expect(conversation.interrupt()).toBe(false);
});
