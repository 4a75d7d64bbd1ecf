// Runs Biome on the whole tree. `--write` applies what it can fix.
import { spawnSync } from 'node:child_process';
import { biomeProgram } from './biome.mjs';

const biome = biomeProgram();
if (biome === undefined) {
  console.log('Nothing was linted.');
  process.exit(process.env['CI'] ? 1 : 0); // a machine without a network can still run the tests; CI must not pass
}
const { status } = spawnSync(process.execPath, [biome, 'check', ...process.argv.slice(2), '.'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
