// Writes docs/settings.schema.json and the table of settings in docs/settings.md from what the built command line says.
// With --check it writes nothing and fails when one of them is stale.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { biomeProgram } from './biome.mjs';

const [page, schemaFile] = ['docs/settings.md', 'docs/settings.schema.json'];
const [begin, end] = ['<!-- settings: begin -->', '<!-- settings: end -->'];

const helve = (...words) => execFileSync(process.execPath, ['bin/helve.cjs', ...words], { encoding: 'utf8' });

const projects = {
  always: 'applies',
  trusted: 'if trusted',
  tightening: 'if stricter or trusted',
  never: 'never',
};
const merges = {
  strongest: 'the highest precedence wins',
  strictest: 'the strictest value wins',
  together: 'merged',
  'by name': 'merged by name',
};
const breaks = { 'left out': 'is ignored', strictest: 'counts as the strictest value', 'no start': 'stops the start' };
const rows = JSON.parse(helve('config', 'keys', '--json')).map(
  ({ key, about, merge, project, broken }) =>
    `| \`${key}\` | ${about} | ${merges[merge]} | ${projects[project]} | ${breaks[broken]} |`,
);
const table = [
  '| setting | description | values of several files | in a project | an invalid value |',
  '|---|---|---|---|---|',
  ...rows,
].join('\n');

const before = readFileSync(page, 'utf8');
const [start, stop] = [before.indexOf(begin), before.indexOf(end)];
if (start < 0 || stop < start) throw new Error(`${page} has lost the marks "${begin}" and "${end}". Put them back.`);
write(page, before, `${before.slice(0, start + begin.length)}\n${table}\n${before.slice(stop)}`);
const schema = helve('config', 'schema');
const oldSchema = existsSync(schemaFile) ? readFileSync(schemaFile, 'utf8') : '';
write(schemaFile, oldSchema, isSameJson(oldSchema, schema) ? oldSchema : formatted(schema));

function isSameJson(one, other) {
  return one !== '' && JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
}

// Formatted like all other files, so that the format check passes.
function formatted(json) {
  const biome = biomeProgram();
  if (biome === undefined) return json;
  const words = [biome, 'format', `--stdin-file-path=${schemaFile}`];
  return execFileSync(process.execPath, words, { encoding: 'utf8', input: json });
}

function write(file, old, text) {
  if (text === old) console.log(`${file} is up to date.`);
  else if (process.argv.includes('--check')) {
    console.error(`${file} is stale: the settings have changed. Run npm run docs, then commit it.`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`${file} was written.`);
  }
}
