// Helve's tools in a loop around Anthropic's SDK. A server of helve/testing answers, so this needs no key and no network.
import Anthropic from '@anthropic-ai/sdk';
import { createEngine } from 'helve';
import { startFakeModelServer, temporaryProject } from 'helve/testing';

const project = await temporaryProject({ 'notes.txt': 'one handle\n' });
const server = await startFakeModelServer([
  { calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }] },
  { calls: [{ name: 'Edit', input: { file_path: 'notes.txt', old_string: 'one', new_string: 'two' } }] },
  { text: 'There are two handles now.' },
]);
const client = new Anthropic({ baseURL: server.url, apiKey: 'none' });

const engine = createEngine({ root: project.root, permissionMode: 'acceptEdits', dataFolder: project.path('../data') });
const tools = await engine.tools();
const messages = [{ role: 'user', content: 'Make it two handles.' }];
for (;;) {
  const stream = client.messages.stream({ model: 'claude-sonnet-5', max_tokens: 4096, tools, messages });
  const { content } = await stream.finalMessage();
  messages.push({ role: 'assistant', content });
  const calls = content.filter((block) => block.type === 'tool_use');
  if (calls.length === 0) break;
  messages.push({ role: 'user', content: await engine.runCalls(calls) });
}
await engine.end();

console.log(messages.at(-1).content[0].text);
console.log(await project.text('notes.txt'), server.refused);
await server.close();
await project.remove();
