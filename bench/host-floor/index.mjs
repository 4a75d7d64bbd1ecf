// The least that a turn of bench/host.mjs needs in Node: one request with the history, the call itself, and one synced line
// of a session file. No permissions, no undo, no audit, no recovery. `node bench/host.mjs bench/host-floor` measures it.
import { spawn } from 'node:child_process';
import { fdatasync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const sync = promisify(fdatasync);

export function createAgent({ model, root }) {
  const messages = [];
  const file = openSync(join(root, 'session.jsonl'), 'a');
  const record = async (message) => {
    messages.push(message);
    writeSync(file, `${JSON.stringify(message)}\n`);
    await sync(file);
  };
  return { messages, run: (prompt) => ({ result: work(prompt) }), end: async () => {} };

  async function work(prompt) {
    await record({ role: 'user', content: [{ type: 'text', text: prompt }] });
    for (;;) {
      const block = await model.stream({ messages });
      await record({ role: 'assistant', content: [block] });
      if (block.type === 'text') return { outcome: 'completed' };
      const content = await tools[block.name](root, block.input);
      await record({ role: 'user', content: [{ type: 'tool_result', tool_use_id: block.id, content }] });
    }
  }
}

const tools = {
  Read: async (root, { file_path: path }) => readFileSync(join(root, path), 'utf8'),
  async Edit(root, { file_path: path, old_string: old, new_string: changed }) {
    const name = join(root, path);
    writeFileSync(
      `${name}.new`,
      readFileSync(name, 'utf8').replace(old, () => changed),
    );
    renameSync(`${name}.new`, name);
    return 'Done.';
  },
  Bash: (root, { command }) =>
    new Promise((resolve, reject) => {
      const child = spawn('bash', ['-c', command], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      let output = '';
      child.stdout.on('data', (chunk) => (output += chunk));
      child.on('error', reject);
      child.on('close', () => resolve(output));
    }),
};
