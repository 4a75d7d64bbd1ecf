// npm run release: everything that a release consists of, in one folder. It publishes nothing: npm does, with provenance, in
// .github/workflows/release.yml.
//   --out FOLDER    where to put it, release/ by default
//   --tag TAG       fails unless the tag is v and the version of package.json
//   --check         only checks that a release could be made
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'release' },
    tag: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
});
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const notes = changelogSection(version);
const problems = findProblems();
if (problems.length > 0) {
  console.error(`Version ${version} can't be released:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  process.exit(1);
}
if (values.check) console.log(`Version ${version} can be released.`);
else {
  try {
    makeRelease(resolve(values.out));
  } catch (error) {
    console.error(`${error.message}. There is no release; see above.`);
    process.exitCode = 1;
  }
}

function findProblems() {
  const found = [];
  if (notes === undefined) found.push(`CHANGELOG.md has no section "## [${version}] - YEAR-MONTH-DAY"`);
  if (values.tag !== undefined && values.tag !== `v${version}`) {
    found.push(`the tag is ${values.tag}, but package.json has the version ${version}`);
  }
  if (run('git', ['status', '--porcelain']).trim() !== '') found.push('the clone has changes that are not committed');
  if (/"resolved"/.test(readFileSync('package-lock.json', 'utf8'))) {
    found.push('package-lock.json has addresses of a registry: npm install --omit-lockfile-registry-resolved');
  }
  return found;
}

function makeRelease(folder) {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    console.error(`${folder} is not empty. Remove it, or choose another folder with --out.`);
    process.exit(2);
  }
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  // The scripts of the package would build once more, and print between the JSON.
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]));
  for (const format of ['cyclonedx', 'spdx']) {
    const bill = run('npm', ['sbom', '--sbom-format', format, '--sbom-type', 'application', '--package-lock-only']);
    writeFileSync(join(folder, `${name}-${version}.${format}.json`), withName(bill));
  }
  copyFileSync('dist/THIRD-PARTY-NOTICES.txt', join(folder, 'THIRD-PARTY-NOTICES.txt'));
  const sums = readdirSync(folder).map((file) => `${sha256(join(folder, file))}  ${file}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(folder, 'NOTES.md'), notes);
  console.log(`${packed.filename}, ${(packed.size / 1e6).toFixed(1)} MB, is in ${folder} with:`);
  for (const file of readdirSync(folder)) console.log(`  ${file}`);
}

/** npm names the component by the folder of the clone. */
function withName(bill) {
  const content = JSON.parse(bill);
  if (content.metadata?.component) content.metadata.component.name = name;
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

/** What the changelog says of this version; undefined if it has no such section. */
function changelogSection(wanted) {
  const text = readFileSync('CHANGELOG.md', 'utf8');
  const start = new RegExp(`^## \\[${wanted.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm').exec(text);
  if (start === null) return undefined;
  const rest = text.slice(start.index + start[0].length);
  return `${rest.slice(0, /^## /m.exec(rest)?.index ?? rest.length).trim()}\n`;
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function run(program, args) {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'inherit'] });
}
