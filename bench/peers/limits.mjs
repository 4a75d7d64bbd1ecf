// Physical limits of the machine for the same work, without any agent.
//   node limits.mjs [--out limits.json]      (BENCH_PEERS_DIR / BENCH_SCRATCH as for bench.mjs)

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { generate, markOf, relOf } from './repo.mjs';

const PEERS_DIR = process.env.BENCH_PEERS_DIR || path.join(os.tmpdir(), 'peers');
const SCRATCH = process.env.BENCH_SCRATCH || path.join(PEERS_DIR, 'scratch');
const repo = path.join(SCRATCH, 'template');
if (!fs.existsSync(path.join(repo, '.git'))) generate(repo);
const now = () => Number(process.hrtime.bigint() / 1000n) / 1000;
const median = (a) => {
  const s = [...a].sort((x, y) => x - y);
  return s[s.length >> 1];
};
const out = {};
const put = (k, v) => {
  out[k] = Math.round(v * 1000) / 1000;
  console.log(`${k.padEnd(52)} ${out[k]} ms`);
};
const proc = (k, cmd, args, n = 9) => {
  const t = [];
  for (let i = 0; i < n; i++) {
    const a = now();
    spawnSync(cmd, args, { cwd: repo, stdio: ['ignore', 'ignore', 'ignore'] });
    t.push(now() - a);
  }
  put(k, median(t));
};

proc('spawn /bin/true', '/bin/true', []);
proc('bash -c true', 'bash', ['-c', 'true']);
proc('node -e 0', process.execPath, ['-e', '0']);
const n22 = path.join(PEERS_DIR, 'node22/node_modules/node/bin/node');
if (fs.existsSync(n22)) proc('node 22 -e 0', n22, ['-e', '0']);
proc('rg rare pattern, whole tree', 'rg', ['-l', markOf(1777), '.']);
proc('rg common pattern (2,000 files hit)', 'rg', ['-l', 'export function compute', '.']);
proc('rg --files -g **/file1*.ts', 'rg', ['--files', '-g', '**/file1*.ts', '.']);
proc('grep -rl rare pattern', 'grep', ['-rl', markOf(1777), '.']);
proc('find -name file1*.ts', 'find', ['.', '-name', 'file1*.ts']);
proc('git status', 'git', ['status', '--porcelain']);
proc(
  'bash: 50 MB to /dev/null',
  'bash',
  ['-c', 'yes 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ | head -c 52428800 >/dev/null'],
  5,
);

{
  const t = [];
  for (let i = 0; i < 500; i++) {
    const a = now();
    await fsp.readFile(path.join(repo, relOf(i)), 'utf8');
    t.push(now() - a);
  }
  put('fs.promises.readFile small file', median(t));
}
{
  const t = [];
  for (let i = 0; i < 500; i++) {
    const a = now();
    fs.readFileSync(path.join(repo, relOf(i + 500)), 'utf8');
    t.push(now() - a);
  }
  put('fs.readFileSync small file', median(t));
}
{
  const t = [];
  for (let i = 0; i < 7; i++) {
    const a = now();
    await fsp.readFile(path.join(repo, 'data/big.txt'), 'utf8');
    t.push(now() - a);
  }
  put('fs.promises.readFile 5 MB', median(t));
}
{
  const t = [];
  for (let i = 0; i < 5; i++) {
    const a = now();
    await Promise.all(Array.from({ length: 2000 }, (_, k) => fsp.readFile(path.join(repo, relOf(k)), 'utf8')));
    t.push(now() - a);
  }
  put('2,000 small files, Promise.all', median(t));
}

// bare HTTP round trip: server in another process, bodies of a given size
const code = `require('http').createServer((q,r)=>{q.on('data',()=>{});q.on('end',()=>r.end('ok'))}).listen(0,'127.0.0.1',function(){process.send(this.address().port)})`;
const { fork } = await import('node:child_process');
const tmp = path.join(SCRATCH, 'echo.cjs');
fs.writeFileSync(tmp, code);
const c = fork(tmp);
const port = await new Promise((ok) => c.once('message', ok));
const agent = new http.Agent({ keepAlive: true });
const viaHttp = (body) =>
  new Promise((ok) => {
    const q = http.request(
      { port, host: '127.0.0.1', method: 'POST', agent, headers: { 'content-length': body.length } },
      (r) => {
        r.on('data', () => {});
        r.on('end', ok);
      },
    );
    q.end(body);
  });
for (const kb of [8, 85, 400]) {
  const body = Buffer.alloc(kb * 1000, 120);
  for (let i = 0; i < 30; i++) {
    await viaHttp(body);
    await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).text();
  }
  const a = [],
    b = [];
  for (let i = 0; i < 100; i++) {
    let t = now();
    await viaHttp(body);
    a.push(now() - t);
    t = now();
    await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).text();
    b.push(now() - t);
  }
  put(`node:http round trip, ${kb} kB body`, median(a));
  put(`fetch round trip, ${kb} kB body`, median(b));
}
// the cost of building the request: history of n turns of 1 kB results plus 85 kB of prompt
for (const n of [50, 300]) {
  const msgs = [];
  for (let i = 0; i < n; i++)
    msgs.push(
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${i}`, name: 'Read', input: { file_path: relOf(i) } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: 'x\n'.repeat(500) }] },
    );
  const o = { system: 'x'.repeat(85000), messages: msgs };
  const t = [];
  for (let i = 0; i < 50; i++) {
    const a = now();
    JSON.stringify(o);
    t.push(now() - a);
  }
  put(`JSON.stringify request after ${n} turns`, median(t));
}
process.kill(c.pid);
agent.destroy();
const i = process.argv.indexOf('--out');
if (i > 0) fs.writeFileSync(process.argv[i + 1], JSON.stringify(out, null, 1));
process.exit(0);
