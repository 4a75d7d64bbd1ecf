// Measures the analysis of a shell command before it runs: of the first command, which loads the parser, and of later
// ones, each a new text, so that no cache applies. Each first run has a process of its own.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { importSource } from './bundle-source.mjs';

const RUNS = 5;
const WARM = 2_000;
const commands = {
  'git status': () => 'git status',
  '200 characters, pipeline': (n) =>
    `cd src && find . -name '*.ts' -not -path './node_modules/*' | grep -n "needle-${n}" | sort -u | head -20 && git log --oneline --author="someone" -n 5 -- src/platform | wc -l # ${'x'.repeat(26)}`,
  // The names go to grep, so that links among all files below src count: those are looked up on the disk.
  'the same through xargs': (n) =>
    `cd src && find . -name '*.ts' -not -path './node_modules/*' | xargs grep -ln "needle-${n}" | sort | head -20 && git log --oneline --author="someone" -n 5 -- src/platform | wc -l # ${'x'.repeat(20)}`,
  '200 characters, nested': (n) =>
    `for f in a-${n} b c; do if [ -f "$f" ]; then echo "$(wc -l < "$f") $(head -1 "$f" | tr a-z A-Z)"; else printf '%s\\n' "\${f%.ts}" >&2; fi; done; diff <(ls src) <(ls test) || echo "they differ: $?"`,
};

const [which] = process.argv.slice(2);
if (which === undefined) report();
else console.log(JSON.stringify(await measure(which)));

function report() {
  console.log(`Effects of a command, median of ${RUNS} processes, Node ${process.version}\n`);
  console.log('| command | characters | first, ms | each after it, ms |');
  console.log('|---|--:|--:|--:|');
  for (const name of Object.keys(commands)) {
    const runs = Array.from({ length: RUNS }, () =>
      JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), name])),
    );
    const median = (key) => runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor(RUNS / 2)];
    console.log(
      `| ${name} | ${commands[name](0).length} | ${median('cold').toFixed(1)} | ${median('warm').toFixed(3)} |`,
    );
  }
}

async function measure(name) {
  const { createCommandAnalyzer } = await importSource('src/platform/shell/command-effects.ts');
  const analyzer = createCommandAnalyzer();
  const place = { cwd: process.cwd(), home: '/home/someone' };
  const coldAt = performance.now();
  await analyzer.effects(commands[name](0), place);
  const cold = performance.now() - coldAt;
  for (let n = 1; n < WARM; n += 1) await analyzer.effects(commands[name](n), place);
  const warmAt = performance.now();
  for (let n = WARM; n < 2 * WARM; n += 1) await analyzer.effects(commands[name](n), place);
  return { cold, warm: (performance.now() - warmAt) / WARM };
}
