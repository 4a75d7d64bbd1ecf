// Helve's tools in the AI SDK of Vercel, which runs the loop. A server of helve/testing answers, so this needs no key and
// no network.
import { createAnthropic } from '@ai-sdk/anthropic';
import { dynamicTool, isStepCount, jsonSchema, streamText } from 'ai';
import { createEngine } from 'helve';
import { startFakeModelServer, temporaryProject } from 'helve/testing';

const project = await temporaryProject({ 'notes.txt': 'one handle\n' });
const server = await startFakeModelServer([
  { calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }] },
  { calls: [{ name: 'Bash', input: { command: 'rm notes.txt' } }] }, // no one can allow it here
  { text: 'I may not delete it.' },
]);
const anthropic = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'none' });
const engine = createEngine({ root: project.root, dataFolder: project.path('../data') });

const words = ({ content }) =>
  typeof content === 'string' ? content : content.map(({ text = '[image]' }) => text).join('\n');
const toolFor = ({ name, description, input_schema }) =>
  dynamicTool({
    description,
    inputSchema: jsonSchema(input_schema),
    async execute(input, { toolCallId: id, abortSignal: signal }) {
      const [result] = await engine.runCalls([{ id, name, input }], { signal });
      return result;
    },
    toModelOutput: ({ output }) => ({ type: output.is_error ? 'error-text' : 'text', value: words(output) }),
  });
const tools = Object.fromEntries((await engine.tools()).map((tool) => [tool.name, toolFor(tool)]));

const { steps, text } = streamText({
  model: anthropic('claude-sonnet-5'),
  prompt: 'Delete the notes.',
  tools,
  stopWhen: isStepCount(20),
});

for (const { toolResults } of await steps) {
  for (const { toolName, output } of toolResults) console.log(toolName, output.is_error ? 'refused' : 'done');
}
console.log(await text, server.refused);
await engine.end();
await server.close();
await project.remove();
