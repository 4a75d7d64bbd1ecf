// Removes the declarations that a program can't reach from an entry of the package.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };

const folder = 'dist/types';
const needed = new Set();
for (const { types } of Object.values(manifest.exports)) if (types) follow(join(types));
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && !needed.has(path)) rmSync(path);
}

function follow(path) {
  if (needed.has(path)) return;
  needed.add(path);
  for (const [, target] of readFileSync(path, 'utf8').matchAll(
    /(?:\bfrom |\bimport\(|\bimport )["'](\.[^"']+)\.js["']/g,
  )) {
    follow(join(dirname(path), `${target}.d.ts`));
  }
}
