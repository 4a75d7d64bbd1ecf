// How long the built command line takes to start, beside a bare Node.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const RUNS = 15;
const helve = resolve('bin/helve.cjs');
const cases = {
  'node -e 0': ['-e', '0'],
  'helve --version': [helve, '--version'],
  'helve tools': [helve, 'tools'],
  'helve call Think': [helve, 'call', 'Think', '{"thought":"x"}'],
};

console.log(`### Start-up (Node ${process.versions.node}, median of ${RUNS} runs)\n`);
console.log('| | ms |\n|---|--:|');
for (const [name, args] of Object.entries(cases)) {
  const times = Array.from({ length: RUNS }, () => {
    const started = performance.now();
    const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
    if (status !== 0) throw new Error(`${name} exited with ${status}.`);
    return performance.now() - started;
  });
  console.log(`| ${name} | ${times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)].toFixed(1)} |`);
}
