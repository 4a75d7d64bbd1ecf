// Answers permission questions where no person can: an MCP server with one tool. It lets `npm ci` through and nothing else.
import { createInterface } from 'node:readline';

const inputSchema = { type: 'object', properties: { tool_name: { type: 'string' }, input: { type: 'object' } } };

function approve({ tool_name, input }) {
  if (tool_name === 'Bash' && input.command === 'npm ci') return { behavior: 'allow' };
  return { behavior: 'deny', message: 'In CI only "npm ci" is approved. Go on without this call.' };
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'gate', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'approve', description: 'Approves calls.', inputSchema }] }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: JSON.stringify(approve(params.arguments)) }] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return; // a notification wants no answer
  const answer = answers[method];
  const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: `There is no ${method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});
