// Runs Biome on the whole tree. It is 64 MB, so `npm ci` does not bring it: the first run fetches it into tools/lint, in the
// version and with the checksum of the lock file there. `--write` applies what it can fix.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const folder = 'tools/lint';
const { devDependencies } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const version = devDependencies['@biomejs/biome'];
const places = [`${folder}/node_modules/@biomejs/biome`, 'node_modules/@biomejs/biome'];

let biome = places.find(isWanted);
if (biome === undefined) {
  const options = ['--no-audit', '--no-fund', '--fetch-retries=1', '--loglevel=error'];
  console.log(`Fetching Biome ${version} into ${folder}, once.`);
  spawnSync('npm', ['ci', '--prefix', folder, ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 180_000,
  });
  biome = places.find(isWanted);
}
if (biome === undefined) {
  // A machine without a network can still run the tests. The CI must not pass without the linter.
  console.log(`Biome ${version} could not be fetched, so nothing was linted. Online, run: npm ci --prefix ${folder}`);
  process.exit(process.env['CI'] ? 1 : 0);
}
const { status } = spawnSync(process.execPath, [`${biome}/bin/biome`, 'check', ...process.argv.slice(2), '.'], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

function isWanted(place) {
  const file = `${place}/package.json`;
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version;
}
