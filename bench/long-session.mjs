// 300 turns of one Read each: the built command line against the fake model server, over real HTTP.
// A turn's time is what the client takes: from the last byte of one answer to the last byte of the next request.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startFakeModelServer } from '../dist/testing.mjs';

const TURNS = 300;
const folder = mkdtempSync(join(tmpdir(), 'helve-bench-'));
const file = join(folder, 'a.txt');
writeFileSync(file, 'a line of forty characters, more or less\n'.repeat(50));

let child;
let answeredAt;
const turnMs = [];
const rssMb = [];
const server = await startFakeModelServer((request, number) => {
  if (answeredAt !== undefined) turnMs.push(request.arrivedAt - answeredAt);
  rssMb.push(residentMb(child.pid));
  void request.finished.then(() => {
    answeredAt = performance.now();
  });
  return number < TURNS
    ? { text: `Turn ${number}.`, calls: [{ name: 'Read', input: { file_path: file } }] }
    : { text: 'Done.' };
});

const started = performance.now();
child = spawn(process.execPath, [resolve('bin/helve.cjs'), '-p', 'go', '--output-format', 'json'], {
  cwd: folder,
  env: { PATH: process.env.PATH, HOME: folder, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-bench' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
child.stdout.on('data', (text) => {
  output += text;
});
const [code] = await once(child, 'close');
const wallMs = performance.now() - started;
await server.close();
rmSync(folder, { recursive: true });

const { num_turns: turns } = JSON.parse(output);
if (code !== 0 || turns !== TURNS + 1 || server.refused.length > 0) {
  throw new Error(`The run went wrong: exit ${code}, ${turns} turns, ${server.refused.length} requests refused.`);
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const row = (name, values) => `| ${name} | ${values.map((value) => value.toFixed(1)).join(' | ')} |`;
console.log(`### ${TURNS} turns of one Read each (Node ${process.versions.node})\n`);
console.log('| | first 50 | all | last 50 |\n|---|--:|--:|--:|');
console.log(row('ms per turn, median', [median(turnMs.slice(0, 50)), median(turnMs), median(turnMs.slice(-50))]));
console.log(row('resident MB, median', [median(rssMb.slice(0, 50)), median(rssMb), median(rssMb.slice(-50))]));
console.log(`\nWhole run ${Math.round(wallMs)} ms, peak ${Math.max(...rssMb).toFixed(0)} MB.`);

function residentMb(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
