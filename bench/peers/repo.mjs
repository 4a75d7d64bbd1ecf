// Sample repository: deterministic content, so that every figure is taken on the same bytes.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export const N_FILES = 2000;
export const DIRS = 50;

const pad = (n, w) => String(n).padStart(w, '0');
const hash = (n) => (Math.imul(n + 1, 2654435761) >>> 0).toString(16).padStart(8, '0');

export const relOf = (i) => `src/mod${pad(Math.floor(i / (N_FILES / DIRS)), 2)}/file${pad(i, 4)}.ts`;
export const markOf = (i) => `MARK_${pad(i, 4)}_${hash(i)}`;
export const oldOf = (i) => `  return total_${pad(i, 4)};`;
export const newOf = (i) => `  return total_${pad(i, 4)} + 1; // edited`;

export function textOf(i) {
  const id = pad(i, 4);
  return `// sample module ${id}
import { join } from 'node:path';

export const ${markOf(i).slice(0, 9)} = '${markOf(i)}';

export interface Options${id} {
  name: string;
  limit?: number;
  deep: boolean;
}

export function compute${id}(values: number[], opts: Options${id}): number {
  let total_${id} = ${i};
  for (const v of values) {
    if (opts.limit !== undefined && total_${id} > opts.limit) break;
    total_${id} += opts.deep ? v * 2 : v;
  }
${oldOf(i)}
}

export function label${id}(root: string): string {
  return join(root, '${hash(i * 7)}', 'item-${id}.json');
}
`;
}

export function generate(dir) {
  fs.mkdirSync(dir, { recursive: true });
  for (let i = 0; i < N_FILES; i++) {
    const p = path.join(dir, relOf(i));
    fs.mkdirSync(path.dirname(p), { recursive: true });
    fs.writeFileSync(p, textOf(i));
  }
  fs.mkdirSync(path.join(dir, 'data'), { recursive: true });
  let big = '';
  for (let n = 0; big.length < 5 * 1024 * 1024; n++)
    big += `line ${pad(n, 6)} ${hash(n)} ${hash(n * 3)} the quick brown fox jumps\n`;
  fs.writeFileSync(path.join(dir, 'data/big.txt'), big);
  fs.writeFileSync(path.join(dir, 'README.md'), '# sample\n\nGenerated sample repository for the benchmark.\n');
  fs.writeFileSync(path.join(dir, 'package.json'), '{"name":"sample","version":"1.0.0","private":true}\n');
  fs.writeFileSync(path.join(dir, 'tsconfig.json'), '{"compilerOptions":{"strict":true}}\n');
  const git = (...a) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...a], {
      cwd: dir,
      stdio: 'ignore',
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'sample');
}
