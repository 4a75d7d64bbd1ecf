// The package `node` brings C headers for native modules, 65 MB of them. Nothing here is compiled against them.
//
// This is the script `dependencies` of package.json: npm runs it after each change of a clone's node_modules, and never
// where Helve is installed as a package. For a script named `prepare`, npm would print a warning there.
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
