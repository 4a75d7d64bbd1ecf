// A tool of your own in an agent. The model is a script, so this runs without a key and without a network.
import { createAgent, defineTool } from 'helve';
import { scriptedModel } from 'helve/models';
import * as z from 'zod';

const wordCount = defineTool({
  name: 'WordCount',
  description: 'Count the words of a text. Use it when a text must have a certain length.',
  input: z.strictObject({ text: z.string() }),
  effects: () => [], // it touches nothing, so it needs no permission and waits for no other call
  execute: async ({ text }) => text.split(/\s+/).filter(Boolean).length,
  toModel: (words) => `The text has ${words} words.`,
});

const model = scriptedModel({
  turns: [{ calls: [{ name: 'WordCount', input: { text: 'a handle for tools' } }] }, { text: 'It has four words.' }],
});
const agent = createAgent({ model, tools: [wordCount] });
for await (const event of agent.run('How many words has "a handle for tools"?')) {
  if (event.type === 'tool_result') console.log(`${event.tool}: ${event.result.content}`);
  if (event.type === 'result') console.log(event.text);
}
await agent.end();
