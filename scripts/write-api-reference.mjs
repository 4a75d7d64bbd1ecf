// Writes docs/api.md from the declarations in dist/types: every export of every entry, with its comment and its signature.
// With --check, it only says whether the page is up to date. Run it after `npm run build`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import manifest from '../package.json' with { type: 'json' };

const target = 'docs/api.md';
if (!existsSync('dist/types')) {
  console.error('There are no declarations in dist/types. Run first: npm run build');
  process.exit(1);
}
const files = new Map();
const entries = Object.entries(manifest.exports)
  .filter(([, { types }]) => types)
  .map(([path, { types }]) => ({ name: path.replace(/^\./, manifest.name), exports: exportsOf(join(types)) }));

const problems = [...withoutComment(), ...unreachable()];
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
const page = write();
if (!process.argv.includes('--check')) {
  writeFileSync(target, page);
} else if (readFileSync(target, 'utf8') !== page) {
  console.error(`${target} is out of date. Run: npm run build && npm run docs`);
  process.exit(1);
} else {
  console.log(`${target} is up to date.`);
}

/** A file of declarations: its own declarations and its imports. */
function read(path) {
  if (files.has(path)) return files.get(path);
  const source = readFileSync(path, 'utf8');
  const { program, comments, errors } = parseSync(path, source, { lang: 'dts' });
  if (errors.length > 0) throw new Error(`${path} can't be parsed: ${errors[0].message}`);
  const file = { path, source, declared: new Map(), imported: new Map(), exported: new Map(), stars: [] };
  files.set(path, file);
  const from = (node) => (node.source?.value.startsWith('.') ? join(dirname(path), dts(node.source.value)) : undefined);
  for (const node of program.body) {
    const declaration = node.declaration ?? node;
    for (const name of namesOf(declaration)) {
      const parts = file.declared.get(name) ?? [];
      file.declared.set(name, [...parts, { node, declaration, comment: commentBefore(node) }]);
      if (node.type === 'ExportNamedDeclaration') file.exported.set(name, { file, name });
    }
    if (node.type === 'ImportDeclaration' && from(node)) {
      for (const { local, imported } of node.specifiers) {
        file.imported.set(local.name, { from: from(node), name: imported?.name });
      }
    }
    if (node.type === 'ExportAllDeclaration') file.stars.push(from(node));
    if (node.type === 'ExportNamedDeclaration' && !node.declaration) {
      for (const { local, exported } of node.specifiers) {
        file.exported.set(exported.name, { from: from(node) ?? path, name: local.name });
      }
    }
  }
  return file;

  function commentBefore({ start }) {
    const last = comments.findLast(({ end }) => end <= start);
    const isNear = last?.type === 'Block' && last.value.startsWith('*') && source.slice(last.end, start).trim() === '';
    return isNear ? wordsOf(last.value) : '';
  }
}

function dts(specifier) {
  return specifier.replace(/\.js$/, '.d.ts');
}

function namesOf(declaration) {
  if (declaration.type === 'VariableDeclaration') return declaration.declarations.map(({ id }) => id.name);
  const isNamed = /^TS(?:DeclareFunction|InterfaceDeclaration|TypeAliasDeclaration)$|^(?:Class|Function)Declaration$/;
  return isNamed.test(declaration.type) ? [declaration.id.name] : [];
}

/** The lines of a comment without their stars, as one paragraph each. */
function wordsOf(text) {
  const lines = text.split('\n').map((line) => line.replace(/^\s*\*+ ?/, '').trim());
  return lines
    .join('\n')
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('\n', ' '))
    .join('\n\n');
}

/** Maps each name to its declaration. */
function exportsOf(path) {
  const file = read(path);
  const found = new Map();
  for (const star of file.stars) for (const [name, one] of exportsOf(star)) found.set(name, one);
  for (const name of file.exported.keys()) found.set(name, locate(path, name));
  return found;
}

function locate(path, name) {
  const file = read(path);
  if (file.declared.has(name)) return { file, name };
  const elsewhere = file.exported.get(name) ?? file.imported.get(name);
  if (!elsewhere?.from) throw new Error(`${path} exports ${name}, which is not found.`);
  return locate(elsewhere.from, elsewhere.name);
}

function partsOf({ file, name }) {
  return file.declared.get(name);
}

function withoutComment() {
  return entries.flatMap(({ name: entry, exports }) =>
    [...exports]
      .filter(([, one]) => partsOf(one).every(({ comment }) => comment === ''))
      .map(
        ([name, { file }]) =>
          `${entry} exports ${name} without a comment (${file.path}). Say in a sentence what it is.`,
      ),
  );
}

/** Reports types that a signature uses and no entry exports. */
function unreachable() {
  const reachable = new Set(entries.flatMap(({ exports }) => [...exports.values()].map(idOf)));
  const missing = new Map();
  for (const { exports } of entries) {
    for (const one of exports.values()) {
      for (const { declaration } of withOwnTypes(one)) {
        for (const name of typesIn(declaration)) {
          const isOurs = one.file.exported.has(name) || one.file.imported.has(name);
          const id = isOurs ? idOf(locate(one.file.path, name)) : undefined;
          if (id !== undefined && !reachable.has(id)) missing.set(id, one.name);
        }
      }
    }
  }
  return [...missing].map(([id, user]) => `${user} uses ${id}, which no entry exports. Export it.`);
}

/** Its declarations, and those of the types of the same file that it uses and that can't be imported. */
function withOwnTypes({ file, name }, seen = new Set()) {
  if (seen.has(name)) return [];
  seen.add(name);
  const parts = file.declared.get(name);
  const own = parts.flatMap(({ declaration }) => [...typesIn(declaration)]);
  const inner = own.filter((each) => file.declared.has(each) && !file.exported.has(each));
  return [...parts, ...inner.flatMap((each) => withOwnTypes({ file, name: each }, seen))];
}

function idOf({ file, name }) {
  return `${name} (${file.path})`;
}

function typesIn(node, found = new Set()) {
  if (Array.isArray(node)) for (const each of node) typesIn(each, found);
  else if (node && typeof node === 'object') {
    if (node.type === 'TSTypeReference' && node.typeName.type === 'Identifier') found.add(node.typeName.name);
    if (node.type === 'TSInterfaceHeritage' && node.expression.type === 'Identifier') found.add(node.expression.name);
    for (const value of Object.values(node)) typesIn(value, found);
  }
  return found;
}

function write() {
  const told = new Map();
  const lines = [
    '# API',
    '',
    `Every export of every entry, from the declarations of the package. [Helve in a program](sdk.md) shows how to use them. This page is written by \`npm run docs\`.`,
  ];
  for (const { name: entry, exports } of entries) {
    lines.push('', `## ${entry}`);
    const links = (some) => some.map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(', ');
    const all = [...exports].map(([name, one]) => ({ name, one, isValue: isValue(one) }));
    const again = all.filter(({ one }) => told.has(idOf(one)));
    const fresh = all.filter(({ one }) => !told.has(idOf(one))).sort(byKind);
    const [values, types] = [fresh.filter((each) => each.isValue), fresh.filter((each) => !each.isValue)];
    if (values.length > 0) lines.push('', `Functions and classes: ${links(values)}.`);
    if (types.length > 0) lines.push('', `Types: ${links(types)}.`);
    for (const { name, one } of fresh) {
      told.set(idOf(one), entry);
      lines.push('', `### ${name}`, '', comment(one), '', '```ts', ...signatures(one), '```');
    }
    if (again.length > 0) lines.push('', `Also: ${again.map(({ name }) => `\`${name}\``).join(', ')}, as above.`);
  }
  return `${lines.join('\n')}\n`;
}

function byKind(a, b) {
  return Number(b.isValue) - Number(a.isValue) || (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1);
}

function isValue(one) {
  return partsOf(one).some(({ declaration }) => !/^TS(?:Interface|TypeAlias)/.test(declaration.type));
}

function comment(one) {
  return partsOf(one).find(({ comment: words }) => words !== '').comment;
}

/** Signatures as the compiler wrote them, with lists of names spelled out. */
function signatures(one) {
  return withOwnTypes(one).map(({ node }) =>
    one.file.source
      .slice(node.start, node.end)
      .replaceAll(/\(typeof (\w+)\)\[number\]/g, (_, list) => membersOf(locate(one.file.path, list)).join(' | '))
      .replace(/^export (?:declare )?/, '')
      .replaceAll(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2)),
  );
}

function membersOf({ file, name }) {
  const [{ declaration }] = file.declared.get(name);
  const { typeAnnotation } = declaration.declarations.find(({ id }) => id.name === name).id.typeAnnotation;
  return typeAnnotation.typeAnnotation.elementTypes.map(({ start, end }) => file.source.slice(start, end));
}
