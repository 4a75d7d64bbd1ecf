// Writes the tables of providers and models in docs/models.md from what the built command line says. With --check it
// writes nothing and fails when the page is stale.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const page = 'docs/models.md';

const home = mkdtempSync(join(tmpdir(), 'helve-docs-')); // no keys and no models.json: the page shows what is built in
const env = { PATH: process.env.PATH, HOME: home, HELVE_HOME: home };
const json = execFileSync(process.execPath, ['bin/helve.cjs', 'models', '--json'], { encoding: 'utf8', env });
rmSync(home, { recursive: true, force: true });
const { providers, models } = JSON.parse(json);

const before = readFileSync(page, 'utf8');
const after = [
  ['providers', providerTable(providers)],
  ['models', modelTable(models)],
].reduce((text, [name, table]) => replaceTable(text, name, table), before);

if (after === before) console.log(`${page} is up to date.`);
else if (process.argv.includes('--check')) {
  console.error(`${page} is stale: the catalogue has changed. Run npm run docs, then commit the page.`);
  process.exitCode = 1;
} else {
  writeFileSync(page, after);
  console.log(`${page} was written.`);
}

function replaceTable(text, name, table) {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [start, stop] = [text.indexOf(begin), text.indexOf(end)];
  if (start < 0 || stop < start) throw new Error(`${page} has lost the marks "${begin}" and "${end}". Put them back.`);
  return `${text.slice(0, start + begin.length)}\n${table}\n${text.slice(stop)}`;
}

function providerTable(rows) {
  const lines = rows.map(
    ({ id, title, wire, base_url, base_url_variable, key_variables, other_access, default_model }) =>
      `| \`${id}\` | ${title} | ${code(key_variables) || (other_access ? code([other_access.replace(/^run /, '')]) : 'none')} | ${code([default_model])} | ${wire} | \`${base_url}\` | ${code([base_url_variable])} |`,
  );
  return [
    '| provider | who | key | default model | format | address | another address |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

function modelTable(rows) {
  const lines = rows.map(
    ({ id, context_tokens, output_tokens, prices, edit_style, sees_images }) =>
      `| \`${id}\` | ${count(context_tokens)} | ${count(output_tokens)} | ${dollars(prices)} | ${edit_style} | ${sees_images === null ? '?' : sees_images ? 'yes' : 'no'} |`,
  );
  return [
    '| model | context | answer | price in / out / cache read / cache write | edits | images |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

function code(words) {
  return words
    .filter((word) => word !== null)
    .map((word) => `\`${word}\``)
    .join(', ');
}

function count(tokens) {
  return tokens === null ? '?' : tokens.toLocaleString('en-US');
}

function dollars(prices) {
  if (prices === null) return '?';
  const { input, output, cacheRead, cacheWrite } = prices;
  return [input, output, cacheRead, cacheWrite].map((price) => (price === undefined ? '–' : `$${price}`)).join(' / ');
}
