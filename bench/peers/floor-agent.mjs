// The floor: the least code that does the same work (Anthropic wire format, SSE, tools), with no prompt
// assembly, no permissions, no hooks, no session file. Not an agent: a yardstick.

import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';

const base = process.env.FLOOR_BASE;
const pad = 'x'.repeat(Number(process.env.FLOOR_PAD || 0));
const tools = ['Read', 'Edit', 'Bash', 'Grep', 'Glob'].map((name) => ({
  name,
  description: name,
  input_schema: { type: 'object' },
}));
const LIMIT = 30000;

const run = (cmd, args) =>
  new Promise((ok) => {
    const c = spawn(cmd, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const out = [];
    let kept = 0,
      total = 0;
    const on = (d) => {
      total += d.length;
      if (kept < LIMIT) {
        out.push(kept + d.length > LIMIT ? d.subarray(0, LIMIT - kept) : d);
        kept += Math.min(d.length, LIMIT - kept);
      }
    };
    c.stdout.on('data', on);
    c.stderr.on('data', on);
    c.on('close', () =>
      ok(Buffer.concat(out).toString('utf8') + (total > kept ? `\n[${total - kept} bytes cut]` : '')),
    );
  });
const impl = {
  Read: async (a) =>
    (await fs.readFile(a.file_path, 'utf8'))
      .split('\n')
      .map((l, i) => `${i + 1}\t${l}`)
      .join('\n'),
  Edit: async (a) => {
    const t = await fs.readFile(a.file_path, 'utf8');
    await fs.writeFile(
      a.file_path,
      t.replace(a.old_string, () => a.new_string),
    );
    return 'ok';
  },
  Bash: (a) => run('bash', ['-c', a.command]),
  Grep: (a) => run('rg', ['-l', a.pattern, '.']),
  Glob: (a) => run('rg', ['--files', '-g', a.pattern, '.']),
};

const messages = [{ role: 'user', content: process.argv[2] }];
for (;;) {
  const res = await fetch(`${base}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'x', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'floor', max_tokens: 8000, stream: true, system: pad, tools, messages }),
  });
  const content = [];
  const running = [];
  const part = [];
  let buf = '';
  const dec = new TextDecoder();
  for await (const ch of res.body) {
    buf += dec.decode(ch, { stream: true });
    for (let i = buf.indexOf('\n\n'); i >= 0; i = buf.indexOf('\n\n')) {
      const blk = buf.slice(0, i);
      buf = buf.slice(i + 2);
      const d = JSON.parse(blk.slice(blk.indexOf('data: ') + 6));
      if (d.type === 'content_block_start') {
        content[d.index] = { ...d.content_block };
        part[d.index] = '';
      } else if (d.type === 'content_block_delta') {
        if (d.delta.type === 'text_delta') content[d.index].text += d.delta.text;
        else part[d.index] += d.delta.partial_json;
      } else if (d.type === 'content_block_stop') {
        const b = content[d.index];
        if (b.type === 'tool_use') {
          b.input = JSON.parse(part[d.index] || '{}');
          running.push(impl[b.name](b.input).then((t) => ({ type: 'tool_result', tool_use_id: b.id, content: t })));
        }
      }
    }
  }
  messages.push({ role: 'assistant', content });
  if (!running.length) {
    process.stdout.write(`${content.map((c) => c.text || '').join('')}\n`, () => process.exit(0));
    break;
  }
  messages.push({ role: 'user', content: await Promise.all(running) });
}
