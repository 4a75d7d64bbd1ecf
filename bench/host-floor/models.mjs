import { Agent, request as send } from 'node:http';

/** Posts the whole history, and returns the one block of the answer. */
export async function chooseModel() {
  const agent = new Agent({ keepAlive: true });
  const url = new URL('/v1/messages', process.env.ANTHROPIC_BASE_URL);
  return {
    stream: ({ messages }) =>
      new Promise((resolve, reject) => {
        const post = send(url, { method: 'POST', agent }, (response) => {
          const chunks = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('end', () => resolve(blockOf(Buffer.concat(chunks).toString())));
        });
        post.on('error', reject);
        post.end(JSON.stringify({ model: 'claude-test', messages }));
      }),
  };
}

function blockOf(text) {
  const events = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
  const { content_block: block } = events.find(({ type }) => type === 'content_block_start');
  const { delta } = events.find(({ type }) => type === 'content_block_delta');
  if (block.type === 'tool_use') return { ...block, input: JSON.parse(delta.partial_json) };
  return { type: 'text', text: delta.text };
}
