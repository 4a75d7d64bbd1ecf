// Where Biome is. It has 64 MB, so `npm ci` does not bring it: what needs it first fetches it into tools/lint, in the version
// and with the checksum of the lock file there.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const folder = 'tools/lint';
const { devDependencies } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const version = devDependencies['@biomejs/biome'];
const places = [`${folder}/node_modules/@biomejs/biome`, 'node_modules/@biomejs/biome'];

/** The program. Undefined if it is not there and can't be fetched: then the reason is printed. */
export function biomeProgram() {
  const found = places.find(isWanted) ?? fetched();
  if (found !== undefined) return `${found}/bin/biome`;
  console.error(`Biome ${version} could not be fetched. With a network, run: npm ci --prefix ${folder}`);
  return undefined;
}

function fetched() {
  console.error(`Fetching Biome ${version} into ${folder}, once.`);
  const options = ['--no-audit', '--no-fund', '--fetch-retries=1', '--loglevel=error'];
  const stdio = ['ignore', 'ignore', 'inherit'];
  spawnSync('npm', ['ci', '--prefix', folder, ...options], { stdio, timeout: 180_000 });
  return places.find(isWanted);
}

function isWanted(place) {
  const file = `${place}/package.json`;
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version;
}
