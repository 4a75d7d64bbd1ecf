// What a decision costs: a command of ten parts against 500 rules, the rules alone and with the analysis of the command,
// and 10,000 different decisions in one process, with the memory before and after.
import { importSource } from './bundle-source.mjs';

const RULES = 500;
const WARM = 500;
const RUNS = 1_000;
const MANY = 10_000;

const command = (n) =>
  `cd src && git status | head -5; npm test -- --run ${n} && cat a-${n}.ts | grep -n needle > out-${n}.txt; rm -rf build-${n} && timeout 5 make all || echo failed`;

const rule = (n) =>
  [`Bash(tool-${n}:*)`, `Read(./folder-${n}/**)`, `Edit(src/part-${n}/*.ts)`, `Bash(npm run ${n}:*)`][n % 4];
const list = (from, count) => Array.from({ length: count }, (_, index) => rule(from + index));
const settings = {
  permissions: {
    allow: [...list(0, RULES / 2 - 2), 'Bash(npm test:*)', 'Bash(make:*)'],
    ask: list(1_000, RULES / 4),
    deny: list(2_000, RULES / 4),
  },
};

const { createExplainer } = await importSource('src/compose/explain-call.ts');
const { decide } = await importSource('src/permissions/engine.ts');
const { parseRules } = await importSource('src/permissions/parse-rule.ts');
const { toolTable } = await importSource('src/tools/index.ts');

const cwd = process.cwd();
const explain = createExplainer();
const question = (n) => ({ tool: 'Bash', input: { command: command(n) }, cwd, home: '/home/someone', settings });

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

async function timed(run) {
  for (let n = 0; n < WARM; n += 1) await run(n);
  const times = [];
  for (let n = WARM; n < WARM + RUNS; n += 1) {
    const at = performance.now();
    await run(n);
    times.push(performance.now() - at);
  }
  return { median: median(times), worst: times.toSorted((a, b) => b - a)[Math.floor(RUNS / 100)] };
}

const { effects, decision } = await explain(question(0));
const parts = effects.filter(({ kind }) => kind === 'command').length;
const anchors = { source: [cwd], project: [cwd], home: ['/home/someone'] };
const tools = toolTable();
const { rules } = parseRules(settings.permissions, { source: { file: 'settings' }, anchors, tools });
const policy = {
  mode: 'default',
  workspace: [cwd],
  resultsFolder: '/home/someone/.helve/sessions/x/results',
  dataFolders: ['/home/someone/.helve'],
  tools,
  rules,
  home: ['/home/someone'],
};
const request = { tool: 'Bash', input: { command: command(0) }, effects };

console.log(
  `A command of ${parts} parts with ${effects.length} effects against ${rules.length} rules (${decision}), Node ${process.version}\n`,
);
console.log('| what | median, ms | 99 of 100 within, ms |');
console.log('|---|--:|--:|');
const rows = {
  'the decision': () => decide(request, policy),
  'the same command explained again': () => explain(question(0)),
  'each time another command explained': (n) => explain(question(n)),
};
for (const [name, run] of Object.entries(rows)) {
  const { median: typical, worst } = await timed(run);
  console.log(`| ${name} | ${typical.toFixed(3)} | ${worst.toFixed(3)} |`);
}

const heap = () => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
};
const { setFlagsFromString } = await import('node:v8');
const { runInNewContext } = await import('node:vm');
setFlagsFromString('--expose-gc');
globalThis.gc = runInNewContext('gc');

console.log(`\n| ${MANY.toLocaleString('en')} decisions, each about another command | |`);
console.log('|---|--:|');
const before = heap();
const at = performance.now();
for (let n = 0; n < MANY; n += 1) await explain(question(100_000 + n));
console.log(`| seconds | ${((performance.now() - at) / 1000).toFixed(1)} |`);
console.log(`| heap before, MB | ${before.toFixed(1)} |`);
console.log(`| heap after, MB | ${heap().toFixed(1)} |`);
