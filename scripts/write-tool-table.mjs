// Writes the table of tools in docs/tools.md from what the built command line says. With --check it writes nothing and
// fails when the page is stale.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const page = 'docs/tools.md';
const [begin, end] = ['<!-- tools: begin -->', '<!-- tools: end -->'];

const { HELVE_SIMPLE: _, ...env } = process.env; // the page shows the whole set
const json = execFileSync(process.execPath, ['bin/helve.cjs', 'tools', '--json', '--all'], { encoding: 'utf8', env });
const rows = JSON.parse(json).map(({ name, about, input_schema, exposure }) => {
  return `| ${name} | ${about} | ${parameters(input_schema)} | ${exposure} |`;
});
const table = ['| tool | what it does | parameters | exposure |', '|---|---|---|---|', ...rows].join('\n');

const before = readFileSync(page, 'utf8');
const [start, stop] = [before.indexOf(begin), before.indexOf(end)];
if (start < 0 || stop < start) throw new Error(`${page} has lost the marks "${begin}" and "${end}". Put them back.`);
const after = `${before.slice(0, start + begin.length)}\n${table}\n${before.slice(stop)}`;

if (after === before) console.log(`${page} is up to date.`);
else if (process.argv.includes('--check')) {
  console.error(`${page} is stale: the tools have changed. Run npm run docs, then commit the page.`);
  process.exitCode = 1;
} else {
  writeFileSync(page, after);
  console.log(`${page} was written.`);
}

/** Required ones as they are, optional ones with a question mark. */
function parameters({ properties = {}, required = [] }) {
  return Object.keys(properties)
    .map((name) => `\`${name}${required.includes(name) ? '' : '?'}\``)
    .join(', ');
}
