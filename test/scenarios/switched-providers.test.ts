import { expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent } from '../../src/compose/create-agent.js';
import type { Message } from '../../src/contract/message.js';
import type { Model } from '../../src/contract/model.js';
import { defineTool } from '../../src/contract/tool.js';
import { openAiCompatibleModel } from '../../src/models/wire/chat/openai-compatible.js';
import { quirksOf } from '../../src/models/wire/chat/quirks.js';
import { type FakeAnswer, startFakeModelServer, temporaryProject } from '../../src/testing/index.js';
import { wires } from './wire-formats.js';

// A conversation that one vendor's model began goes on with another vendor's model. What a vendor signed means nothing
// to the others, and most of them refuse the whole request for it.

interface Speaker {
  name: string;
  modelAt(baseUrl: string): Model | Promise<Model>;
}

const google: Speaker = {
  name: "Google's Chat Completions",
  modelAt: (baseUrl) =>
    openAiCompatibleModel({ provider: 'compatible', name: 'test', baseUrl, quirks: quirksOf('google', '') }),
};
const speakers: readonly Speaker[] = [...wires, google];

/** Anthropic documents that its signatures are valid on all platforms that have Claude. */
const claude = ['Anthropic Messages', 'Amazon Bedrock'];

const SIGNATURE = 'c2lnbmVkIGJ5IHRoZSB2ZW5kb3I=';
const draw = defineTool({
  name: 'Draw',
  description: 'Draws.',
  input: z.looseObject({ what: z.string() }),
  effects: () => [],
  execute: async ({ what }) => what,
  toModel: (what) => [
    { type: 'text', text: `drew ${what}` },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
  ],
});

const answers: readonly FakeAnswer[] = [
  {
    thinking: { text: 'Two drawings.', signature: SIGNATURE },
    text: 'I draw.',
    calls: ['a cat', 'a dog'].map((what) => ({ name: 'Draw', input: { what } })),
  },
  { thinking: { text: 'That was it.', signature: SIGNATURE }, text: 'Both are drawn.' },
];

/** The history of a conversation with this model: thinking, a text, two calls with images, and a text. */
async function historyOf({ modelAt }: Speaker): Promise<Message[]> {
  const server = await startFakeModelServer(answers);
  const project = await temporaryProject();
  const agent = createAgent({
    model: await modelAt(server.url),
    root: project.root,
    dataFolder: project.path('../data'),
    tools: [draw],
  });
  try {
    await Array.fromAsync(agent.run('Draw.'));
    expect(server.refused).toEqual([]);
    return [...agent.session.transcript.messages];
  } finally {
    await agent.end();
    await server.close();
    await project.remove();
  }
}

/** The request that goes on with this history; fails if the server refuses it. */
async function continuedBy({ modelAt }: Speaker, history: readonly Message[]): Promise<string> {
  const server = await startFakeModelServer([{ text: 'Yes.' }]);
  try {
    const messages: Message[] = [...history, { role: 'user', content: [{ type: 'text', text: 'Go on.' }] }];
    const request = { system: [], tools: [], messages };
    await Array.fromAsync((await modelAt(server.url)).stream(request, AbortSignal.timeout(60_000))).catch(() => {});
    expect(server.refused).toEqual([]);
    return server.requests[0]?.text ?? '';
  } finally {
    await server.close();
  }
}

const pairs = speakers.flatMap((from) => speakers.map((to) => ({ from, to, title: `${from.name} to ${to.name}` })));
const histories = new Map(await Promise.all(speakers.map(async (from) => [from.name, await historyOf(from)] as const)));

test.each(pairs)(
  'a conversation goes on from $title: a valid request, without signatures of others',
  async ({ from, to }) => {
    const request = await continuedBy(to, histories.get(from.name) ?? []);
    for (const words of ['I draw.', 'a cat', 'a dog', 'drew a cat', 'iVBORw0KGgo=', 'Both are drawn.']) {
      expect(request).toContain(words);
    }
    const isSameVendor = from === to || [from, to].every(({ name }) => claude.includes(name));
    const keepsSignatures = isSameVendor && !from.name.endsWith('Chat Completions'); // that format has none
    expect(request.split(SIGNATURE).length - 1).toBe(keepsSignatures ? 2 : 0);
    if (to.name === 'Gemini' || to === google) {
      const isForeign = from !== to || to === google;
      expect(request.split('skip_thought_signature_validator').length - 1).toBe(isForeign ? 1 : 0);
    }
  },
);
