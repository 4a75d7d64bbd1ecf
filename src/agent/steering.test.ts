import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../compose/create-agent.js';
import type { Message } from '../contract/message.js';
import type { Model, ModelEvent } from '../contract/model.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { noUsage } from './usage.js';

const listing: ModelEvent[] = [
  { type: 'call_start', index: 0, id: 'c1', name: 'LS' },
  { type: 'call_input', index: 0, json: '{"path":"."}' },
  { type: 'call_end', index: 0 },
  { type: 'message_end', stopReason: 'tool_use', usage: noUsage },
];

test.each([
  [false, ['look', 'meanwhile']],
  [true, ['look']],
])(
  'a message during a run is sent with the next results, unless there are prompt hooks (%s)',
  async (isHooked, expected) => {
    const project = await temporaryProject({});
    onTestFinished(() => project.remove());
    const requests: Message[][] = [];
    const model: Model = {
      provider: 'test',
      name: 'test',
      maxOutputTokens: 1000,
      async *stream({ messages }) {
        requests.push(structuredClone([...messages]));
        if (requests.length === 1) yield* listing;
        else yield { type: 'block', block: { type: 'text', text: 'done' } };
      },
    };
    const hooks = { UserPromptSubmit: [{ hooks: [async () => ({})] }] };
    const agent = createAgent({
      model,
      root: project.root,
      dataFolder: project.path('../data'),
      retries: false,
      ...(isHooked && { hooks }),
    });
    onTestFinished(() => agent.end());
    const waiting = [{ type: 'text' as const, text: 'meanwhile' }];
    for await (const _ of agent.run('look', { steering: () => waiting.splice(0) }));
    const texts = (requests[1] ?? []).flatMap(({ role, content }) =>
      role === 'user' ? content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
    );
    expect(texts).toEqual(expected);
    expect(waiting).toHaveLength(isHooked ? 1 : 0);
  },
);
