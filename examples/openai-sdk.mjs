// Helve's tools in a loop around OpenAI's SDK, for Chat Completions and for Responses. A server of helve/testing answers,
// so this needs no key and no network.
import { chatTools, createEngine, responsesTools } from 'helve';
import { startFakeModelServer, temporaryProject } from 'helve/testing';
import OpenAI from 'openai';

const project = await temporaryProject({ 'notes.txt': 'one handle\n' });
const read = { calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }] };
const server = await startFakeModelServer([read, { text: 'One handle.' }, read, { text: 'Still one handle.' }]);
const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' });
const engine = createEngine({ root: project.root, dataFolder: project.path('../data') });

const chat = chatTools(engine);
const messages = [{ role: 'user', content: 'How many handles?' }];
for (;;) {
  const stream = client.chat.completions.stream({ model: 'gpt-5', tools: await chat.tools(), messages });
  const { message } = (await stream.finalChatCompletion()).choices[0];
  messages.push(message);
  if (!message.tool_calls?.length) break;
  messages.push(...(await chat.runCalls(message.tool_calls)));
}
console.log(messages.at(-1).content);

const responses = responsesTools(engine);
const input = [{ role: 'user', content: 'And now?' }];
for (;;) {
  const stream = client.responses.stream({ model: 'gpt-5', tools: await responses.tools(), input, store: false });
  const { output, output_text } = await stream.finalResponse();
  const results = await responses.runCalls(output);
  input.push(...output, ...results);
  if (results.length > 0) continue;
  console.log(output_text);
  break;
}

console.log(server.refused);
await engine.end();
await server.close();
await project.remove();
