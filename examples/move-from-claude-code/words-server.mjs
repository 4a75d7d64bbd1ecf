// A tool for any MCP client, without a library: one JSON message a line in, one a line out.
import { createInterface } from 'node:readline';

const tools = [
  {
    name: 'count_words',
    description: 'Count the words of a text. Use it when a text must have a certain length.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { readOnlyHint: true },
  },
];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'words', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: { text } }) => {
    const words = text.split(/\s+/).filter(Boolean).length;
    return { content: [{ type: 'text', text: `The text has ${words} words.` }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return; // a notification wants no answer
  const answer = answers[method];
  const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: `There is no ${method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});
