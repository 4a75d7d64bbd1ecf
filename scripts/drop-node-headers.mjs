// Runs at the end of `npm ci` in a clone. The package `node` brings C headers for native modules, 65 MB of them. Nothing
// here is compiled against them.
import { readdirSync, rmSync } from 'node:fs';

const folder = 'node_modules/node/node_modules';
for (const name of namesIn(folder)) {
  if (name.startsWith('node-')) rmSync(`${folder}/${name}/include`, { recursive: true, force: true });
}

function namesIn(path) {
  try {
    return readdirSync(path);
  } catch {
    return []; // installed without install scripts
  }
}
