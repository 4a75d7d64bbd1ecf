// Glob and Grep through the engine (schema, gate, permission, result) beside bare ripgrep on the same tree of 50,000 files,
// each call and its counterpart by turns.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { createEngine } from '../dist/index.mjs';

const FILES = 50_000;
const FILES_PER_FOLDER = 50;
const RUNS = 15;
const ENDINGS = ['ts', 'js', 'md', 'json', 'css'];

const cases = [
  ['Glob **/*.ts', 'Glob', { pattern: '**/*.ts' }, ['--files', '--hidden', '--glob=**/*.ts', '--sortr=modified']],
  ['Grep, files, rare word', 'Grep', { pattern: 'needle' }, ['--files-with-matches', '--hidden', 'needle']],
  [
    'Grep, content, rare word',
    'Grep',
    { pattern: 'needle', output_mode: 'content' },
    ['--line-number', '--hidden', 'needle'],
  ],
  [
    'Grep, count, in *.ts',
    'Grep',
    { pattern: 'item4\\d', output_mode: 'count', glob: '*.ts' },
    ['--count-matches', '--hidden', '--glob=*.ts', 'item4\\d'],
  ],
  [
    'Grep, content, 50,000 lines',
    'Grep',
    { pattern: 'item42 ', output_mode: 'content' },
    ['--line-number', '--hidden', 'item42 '],
  ],
];

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'helve-bench-search-')));
try {
  makeTree(folder);
  const engine = createEngine({ root: folder, dataFolder: join(folder, '.helve-data') });
  console.log(`### Search (${FILES} files, Node ${process.versions.node}, median of ${RUNS} runs by turns)\n`);
  console.log('| | bare rg, ms | tool call, ms | ratio |\n|---|--:|--:|--:|');
  for (const [title, name, input, args] of cases) {
    const bare = [];
    const called = [];
    for (let run = 0; run <= RUNS; run += 1) {
      const times = [await timed(() => runBare(args)), await timed(() => callTool(engine, name, input))];
      if (run === 0) continue; // the first is for the caches
      bare.push(times[0]);
      called.push(times[1]);
    }
    const [one, other] = [median(bare), median(called)];
    console.log(`| ${title} | ${one.toFixed(0)} | ${other.toFixed(0)} | ${(other / one).toFixed(2)} |`);
  }
  await engine.end();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function makeTree(root) {
  writeFileSync(join(root, '.gitignore'), 'dist\n*.log\n');
  for (let index = 0; index < FILES; index += 1) {
    const place = Math.floor(index / FILES_PER_FOLDER);
    const into = join(root, `package${Math.floor(place / 20)}`, `module${place % 20}`);
    if (index % FILES_PER_FOLDER === 0) mkdirSync(into, { recursive: true });
    const lines = Array.from({ length: 90 }, (_, line) => `export const item${line} = compute(${index}, ${line});`);
    if (index % 500 === 0) lines.push('// a needle in the hay');
    writeFileSync(join(into, `file${index}.${ENDINGS[index % ENDINGS.length]}`), `${lines.join('\n')}\n`);
  }
}

async function runBare(args) {
  const child = spawn(rgPath, ['--no-config', ...args, './'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let bytes = 0;
  child.stdout.on('data', (chunk) => {
    bytes += chunk.length;
  });
  const [code] = await once(child, 'close');
  if (code !== 0 || bytes === 0) throw new Error(`rg ${args.join(' ')} ended with ${code} after ${bytes} bytes.`);
}

async function callTool(engine, name, input) {
  const [result] = await engine.runCalls([{ id: 'call', name, input }]);
  if (result.is_error) throw new Error(String(result.content));
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
