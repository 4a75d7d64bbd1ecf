// Loads every plugin of a checked-out marketplace that is in its folder, and counts its parts and those without effect.
//   node bench/plugins-official.mjs FOLDER   after a build
// FOLDER is a clone of github.com/anthropics/claude-plugins-official, or of any other marketplace.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Use node bench/plugins-official.mjs FOLDER.');
const home = mkdtempSync(join(tmpdir(), 'helve-bench-plugins-'));
const env = { PATH: process.env.PATH, HOME: home, HELVE_HOME: join(home, '.helve') };
const helve = (...args) =>
  spawnSync(process.execPath, [resolve('bin/helve.cjs'), ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    cwd: home,
  });

const started = performance.now();
const findings = JSON.parse(helve('plugin', 'validate', resolve(folder), '--json').stdout);
const took = performance.now() - started;
const elsewhere = findings.filter(({ problem }) => problem?.includes('which was not fetched'));
const here = findings.filter((finding) => !elsewhere.includes(finding));
const loaded = here.filter(({ plugin }) => plugin);
const parts = ['commands', 'skills', 'agents', 'hooks', 'mcpServers', 'outputStyles'];
const sum = (name) => loaded.reduce((total, { plugin }) => total + plugin[name].length, 0);
const reasons = Map.groupBy(
  loaded.flatMap(({ plugin }) => plugin.unused),
  ({ reason }) => reason.replaceAll(/line \d+|"[^"]*"/g, '…'),
);

console.log(
  `${findings.length} entries; ${elsewhere.length} in repositories of their own, ${here.length} in the folder`,
);
console.log(`${loaded.length} of ${here.length} load, in ${Math.round(took)} ms`);
console.log(parts.map((name) => `${name} ${sum(name)}`).join(', '));
for (const { name, problem } of here.filter(({ problem }) => problem))
  console.log(`  does not load: ${name}: ${problem}`);
console.log('without effect:');
for (const [reason, list] of [...reasons].toSorted(([, one], [, other]) => other.length - one.length)) {
  console.log(`  ${String(list.length).padStart(3)}  ${reason}`);
}

// Added, approved and used: the registry accepts each, and a session has them all.
helve('plugin', 'add', resolve(folder));
const { name: market } = JSON.parse(readFileSync(join(folder, '.claude-plugin/marketplace.json'), 'utf8'));
const failed = loaded.filter(({ name }) => helve('plugin', 'add', `${name}@${market}`, '--yes').status !== 0);
const listed = JSON.parse(helve('plugin', 'list', '--json').stdout).plugins;
console.log(`${listed.filter(({ state }) => state === 'used').length} of ${loaded.length} were added and are used`);
for (const { name } of failed) console.log(`  could not be added: ${name}`);
const size = execFileSync('du', ['-sh', join(home, '.helve/plugins')], { encoding: 'utf8' }).split('\t')[0];
console.log(`copies: ${size}`);
rmSync(home, { recursive: true, force: true });
