// Writes the tables of hooks, events, failures, exit codes and permission rules from the types and values in the
// code. With --check it writes nothing and fails when a page is stale.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { importSource } from '../bench/bundle-source.mjs';
import { bracketsOf, ruleForms } from '../test/fixtures/rule-forms.ts';
import { choicesOf, fieldsOf, readTypes } from './read-types.mjs';

const { toolTable } = await importSource('src/tools/index.ts');
const { matchedFields } = await importSource('src/hooks/match-hook.ts');
const { traits } = toolTable();
const types = readTypes(
  'src/contract/budget.ts',
  'src/contract/event.ts',
  'src/contract/goal.ts',
  'src/contract/failure.ts',
  'src/contract/hook.ts',
  'src/contract/model.ts',
);

write('docs/hooks.md', {
  'hook events': hookEvents(),
  'hook definitions': hookDefinitions(),
  'hook input': hookInput(),
  'hook answers': hookAnswers(),
});
write('docs/events.md', { events: agentEvents() });
write('docs/errors.md', { failures: failures(), outcomes: outcomes(), 'model failures': modelFailures() });
write('docs/command-line.md', { 'exit status': exitCodes() });
write('docs/permissions.md', { rules: rules(), 'rules by tool': rulesByTool() });

function hookEvents() {
  const rows = fieldsOf('HookPayloads', types).map(({ name, doc }) => {
    const [when, objecting] = split(doc, ' Objecting ');
    return [code(name), small(when), matchedFields[name] ? code(matchedFields[name]) : 'nothing', plain(objecting)];
  });
  return table(['event', 'when', 'the matcher looks at', 'objecting'], rows);
}

/** From the schema that editors get: one row for each field of any kind of hook. */
function hookDefinitions() {
  const schema = JSON.parse(helve('config', 'schema')).properties.hooks;
  const [anyEvent] = Object.values(schema.properties ?? {}).concat(schema.additionalProperties ?? []);
  const kinds = anyEvent.items.properties.hooks.items.oneOf ?? anyEvent.items.properties.hooks.items.anyOf;
  const rows = new Map();
  for (const { properties, required } of kinds) {
    for (const [field, { description = '', enum: choices, const: only }] of Object.entries(properties)) {
      const row = rows.get(field) ?? { of: [], description, values: choices ?? [], needed: required.includes(field) };
      row.of.push(properties.type.const);
      if (only !== undefined) row.values = [...row.values, only];
      rows.set(field, row);
    }
  }
  const lines = [...rows].map(([field, { of, description, values, needed }]) => [
    code(needed ? field : `${field}?`),
    of.length === kinds.length ? 'all' : of.map(code).join(', '),
    [values.map(code).join(' or '), small(description)].filter(Boolean).join(': '),
  ]);
  return table(['field', 'of', 'meaning'], lines);
}

function hookInput() {
  const events = fieldsOf('HookPayloads', types);
  const rows = new Map();
  const add = (event, { name, optional, doc }) => {
    const row = rows.get(name) ?? { name, doc, events: [], isOptional: false };
    row.events.push(event);
    row.isOptional ||= optional;
    rows.set(name, row);
  };
  for (const field of fieldsOf('HookBasics', types)) add('all', field);
  for (const { name, text } of events) for (const field of fieldsOf(text, types)) add(name, field);
  const inMost = events.length - 1;
  const lines = [...rows.values()].map(({ name, isOptional, doc, events: of }) => [
    code(isOptional ? `${name}?` : name),
    of.length >= inMost ? 'all' : of.map((event) => (event === 'all' ? event : code(event))).join(', '),
    small(doc),
  ]);
  return table(['field', 'of', 'what it is'], lines);
}

function hookAnswers() {
  const rows = fieldsOf('HookOutput', types).flatMap((field) => {
    const inner = field.text.startsWith('{') ? fieldsOf(field.text, types) : undefined;
    if (!inner) return [[code(field.name), field.doc]];
    return inner.map(({ name, doc, text }) => [
      code(`${field.name}.${name}`),
      text.startsWith('{') ? `${doc.replace(/\.$/, '')}. Fields: ${listed(fieldsOf(text, types))}` : doc,
    ]);
  });
  return table(
    ['field', 'meaning'],
    rows.map(([name, doc]) => [name, small(doc)]),
  );
}

function agentEvents() {
  const rows = choicesOf(types.get('AgentHappening').text).map(({ doc, text }) => {
    const [type, ...fields] = fieldsOf(text, types);
    const about = doc || types.get(text)?.doc;
    if (!about) throw new Error(`The event ${type.text} has no comment in src/contract/event.ts. Write one.`);
    return [code(type.text.replaceAll("'", '')), about, described(fields)];
  });
  return table(['event', 'when', 'fields'], rows);
}

function failures() {
  const rows = choicesOf(types.get('FailureKind').text).map(({ doc, text }) => {
    const [when, example] = split(doc, ' @example ');
    return [choice(text), small(when), code(example)];
  });
  return table(['kind', 'when', 'an example of the text'], rows);
}

function outcomes() {
  const rows = choicesOf(types.get('RunOutcome').text).map(({ doc, text }) => [choice(text), small(doc)]);
  return table(['outcome', 'meaning'], rows);
}

function modelFailures() {
  const rows = choicesOf(types.get('ModelFailureKind').text).map(({ doc, text }) => {
    const [about, again] = split(doc, ' Sent again: ');
    return [choice(text), small(about), plain(again)];
  });
  return table(['kind', 'what it means, or what to look at', 'sent again'], rows);
}

function exitCodes() {
  const source = readFileSync('src/cli/exit-codes.ts', 'utf8');
  const entries = [...source.matchAll(/^ {2}\/\*\* (.*) \*\/\n {2}\w+: (\d+),$/gm)];
  return table(
    ['status', 'meaning'],
    entries.map(([, doc, status]) => [status, small(doc)]),
  );
}

function rules() {
  return table(
    ['rule', 'means'],
    ruleForms.map((form) => [form.rules.map(code).join(', '), form.about]),
  );
}

function rulesByTool() {
  const { HELVE_SIMPLE: _, ...env } = process.env;
  const names = JSON.parse(helve('tools', '--json', '--all', env)).map(({ name }) => name);
  const rows = names.map((name) => {
    const { olderNames = [] } = traits.get(name) ?? {};
    return [code(name), brackets(name), olderNames.map(code).join(', ')];
  });
  return table(['tool', 'in brackets', 'also called, in rules'], rows);
}

function brackets(tool) {
  const { family, bareRule } = traits.get(tool) ?? {};
  const words = bracketsOf[family] ?? '`field:value`';
  if ((family !== 'read' && family !== 'edit') || bareRule === 'family') return words;
  return `${words}, as for \`${leaderOf(family)}\``;
}

/** The tool whose bare name in a rule stands for its whole family. */
function leaderOf(family) {
  const [name] = [...traits].find(([, each]) => each.family === family && each.bareRule === 'family');
  return name;
}

function write(page, tables) {
  const before = readFileSync(page, 'utf8');
  const after = Object.entries(tables).reduce((text, [name, rows]) => replaced(page, text, name, rows), before);
  if (after === before) console.log(`${page} is up to date.`);
  else if (process.argv.includes('--check')) {
    console.error(`${page} is stale: the code has changed. Run npm run docs, then commit the page.`);
    process.exitCode = 1;
  } else {
    writeFileSync(page, after);
    console.log(`${page} was written.`);
  }
}

function replaced(page, text, name, rows) {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [start, stop] = [text.indexOf(begin), text.indexOf(end)];
  if (start < 0 || stop < start) throw new Error(`${page} has lost the marks "${begin}" and "${end}". Put them back.`);
  return `${text.slice(0, start + begin.length)}\n${rows}\n${text.slice(stop)}`;
}

function helve(...words) {
  const env = typeof words.at(-1) === 'object' ? words.pop() : process.env;
  return execFileSync(process.execPath, ['bin/helve.cjs', ...words], { encoding: 'utf8', env });
}

function table(heads, rows) {
  const empty = rows.find((row) => row.slice(0, 2).some((cell) => cell === '' || cell === undefined));
  if (empty) throw new Error(`Nothing is said of ${empty[0]}. Write a comment at its place in the code.`);
  const line = (cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll('|  |', '| |');
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function split(doc, mark) {
  const at = doc.indexOf(mark);
  return at < 0 ? [doc, ''] : [doc.slice(0, at), doc.slice(at + mark.length)];
}

function code(text) {
  return `\`${text}\``;
}

function choice(text) {
  return code(text.replaceAll("'", ''));
}

function plain(text) {
  return text.replace(/\.$/, '');
}

function small(text) {
  return plain(text).replace(/^[A-Z](?=[a-z]*(?:[ ,:.;]|$))/, (letter) => letter.toLowerCase());
}

function listed(fields) {
  return fields.map(({ name, optional }) => code(optional ? `${name}?` : name)).join(', ');
}

/** Names, each followed by its comment, if it has one. */
function described(fields) {
  return fields
    .map(({ name, optional, doc }) => `${code(optional ? `${name}?` : name)}${doc ? ` (${small(doc)})` : ''}`)
    .join(', ');
}
