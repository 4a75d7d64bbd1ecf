// Runs the benchmarks one after the other, each in a process of its own: all of them, or those that are named.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const all = [
  'start-up',
  'incremental-json',
  'long-session',
  'search',
  'read-large',
  'edit-large',
  'shell',
  'sandbox',
  'walls',
  'command-analysis',
  'resume',
  'snapshot',
  'permissions',
  'terminal',
  'host',
  'serve',
  'fleet',
];
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark "${unknown[0]}". There are: ${all.join(', ')}.`);
  process.exit(2);
}
for (const name of chosen.length > 0 ? chosen : all) {
  const { status } = spawnSync(process.execPath, [join('bench', `${name}.mjs`)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  console.log();
}
