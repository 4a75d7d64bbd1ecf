// Measures the structure of the source: how much there is, how far a call, a token and an event travel through it, and
// where names stand that should stand in one place.
//
//   node scripts/measure-structure.mjs [--json]
//
// The travel is measured, not read: an agent is built file by file, runs against a fake model server, and V8 counts which
// functions and blocks of which files execute meanwhile.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const BIG_TEXT_DELTAS = 200;
const sourceFiles = (await Array.fromAsync(glob('src/**/*.ts'))).filter((file) => !file.endsWith('.test.ts')).sort();
const texts = new Map(sourceFiles.map((file) => [file, readFileSync(file, 'utf8')]));

const figures = { ...sizes(), ...exportedTwice(), ...namedFiles(), ...toolNames(), ...(await travels()) };
if (process.argv.includes('--json')) console.log(JSON.stringify(figures, null, 1));
else for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${shown(value)}`);
process.exit(0);

function shown(value) {
  return Array.isArray(value)
    ? `${value.length}${value.length > 0 ? ` (${value.slice(0, 40).join(', ')})` : ''}`
    : value;
}

function sizes() {
  const lines = [...texts].map(([file, text]) => ({ file, count: text.split('\n').length - 1 }));
  lines.sort((one, other) => one.count - other.count);
  const { file, count } = lines.at(-1);
  return {
    'files of source': lines.length,
    'lines of source': lines.reduce((sum, line) => sum + line.count, 0),
    'median lines of a file': lines[lines.length >> 1].count,
    'largest file': `${file} (${count} lines)`,
    'files over 400 lines': lines.filter((line) => line.count > 400).map((line) => relative('src', line.file)),
  };
}

/** Types and interfaces that two rooms define under one name. A re-export is not a definition. */
function exportedTwice() {
  const rooms = new Map();
  for (const [file, text] of texts) {
    const room = relative('src', file).split('/')[0];
    for (const [, name] of text.matchAll(/^export (?:declare )?(?:type|interface) (\w+)/gm)) {
      rooms.set(name, (rooms.get(name) ?? new Set()).add(room));
    }
  }
  const doubled = [...rooms].filter(([, where]) => where.size > 1);
  return { 'types and interfaces exported by two rooms': doubled.map(([name]) => name).sort() };
}

function namedFiles() {
  const withName = (name) => [...texts].filter(([, text]) => new RegExp(`\\b${name}\\b`).test(withoutComments(text)));
  const names = ['sideModel', 'web', 'hiddenVariables', 'editStyle'];
  return Object.fromEntries(names.map((name) => [`files that name ${name}`, withName(name).length]));
}

function toolNames() {
  const definitions = [...texts].filter(([file]) => file.startsWith('src/tools/'));
  const names = definitions.flatMap(([, text]) => [...text.matchAll(/^ {2}name: '(\w+)',$/gm)].map(([, name]) => name));
  const patternOf = (some) => new RegExp(`['"\`](?:${some.join('|')})['"\`]|^\\s*(?:${some.join('|')}): `, 'm');
  const pattern = patternOf(names);
  // In code about the syntax tree of a shell command, 'Glob' is a type of node.
  const patternInTree = patternOf(names.filter((name) => name !== 'Glob'));
  const outside = [...texts].filter(([file, text]) => {
    if (file.startsWith('src/tools/')) return false;
    return (text.includes("from 'unbash'") ? patternInTree : pattern).test(withoutComments(text));
  });
  return { 'files with the name of a tool outside tools/': outside.map(([file]) => relative('src', file)) };
}

function withoutComments(text) {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$|\s\/\/ .*$/gm, '');
}

async function travels() {
  const home = resolve('node_modules/.cache');
  mkdirSync(home, { recursive: true });
  const folder = mkdtempSync(join(home, 'helve-structure-'));
  try {
    await build({
      entryPoints: sourceFiles,
      outdir: join(folder, 'src'),
      outbase: 'src',
      format: 'esm',
      platform: 'node',
      target: 'node22',
      logLevel: 'error',
    });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    return await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder) {
  const from = (name) => import(pathToFileURL(join(folder, 'src', name)).href);
  const { createAgent } = await from('index.js');
  const { anthropicModel } = await from('sdk/models.js');
  const { startFakeModelServer } = await from('sdk/testing.js');
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const executed = async () => {
    const { result } = await inspector.post('Profiler.takePreciseCoverage');
    const ours = result.filter(({ url }) => url.startsWith(pathToFileURL(join(folder, 'src')).href));
    return ours.map(({ url, functions }) => ({ file: fileURLToPath(url), functions }));
  };

  const root = mkdtempSync(join(folder, 'project-'));
  const file = join(root, 'a.txt');
  writeFileSync(file, 'one\ntwo\nthree\nfour five six\n');
  const edit = (from, to) => ({
    calls: [{ name: 'Edit', input: { file_path: file, old_string: from, new_string: to } }],
  });
  const server = await startFakeModelServer([
    { calls: [{ name: 'Read', input: { file_path: file } }] },
    edit('four five six', 'four five seven'),
    edit('four five seven', 'four five eight'),
    { text: 'word '.repeat(BIG_TEXT_DELTAS) },
  ]);
  const agent = createAgent({
    model: anthropicModel({ name: 'claude-sonnet-4-5', apiKey: 'key', baseUrl: server.url }),
    root,
    dataFolder: join(folder, 'data'),
    permissionMode: 'bypassPermissions',
  });
  let edits = 0;
  let passed;
  let streamed;
  let deltas = 0;
  for await (const event of agent.run('Go.')) {
    // The second edit: with the first, code was loaded that a later one does not pass.
    if (event.type === 'tool_call' && event.tool === 'Edit' && ++edits === 2) await executed();
    if (event.type === 'tool_result' && edits === 2) passed ??= await executed();
    if (event.type !== 'text_delta') continue;
    deltas += 1;
    if (deltas === 20) await executed();
    if (deltas === BIG_TEXT_DELTAS / 4) streamed ??= await executed();
  }
  await agent.end();
  await server.close();
  if (!passed || !streamed) throw new Error('The agent did not run as the script expects. Look at its answers.');

  const busy = (functions) => functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0));
  const generators = streamed.flatMap(({ file: path, functions }) => {
    const text = readFileSync(path, 'utf8');
    const isGenerator = ({ ranges: [whole] }) =>
      /^(?:export )?(?:async )?(?:function)?\s*\*|^async\s*\*/.test(
        text.slice(whole.startOffset, whole.startOffset + 40),
      );
    return busy(functions)
      .filter(isGenerator)
      .map(({ functionName }) => `${functionName || 'anonymous'} in ${relative(join(folder, 'src'), path)}`);
  });
  const emits = streamed.flatMap(({ file: path, functions }) =>
    busy(functions)
      .filter(({ functionName }) => /^(?:emit|note|tell|take|push|endingWith|onEvent|#?emit)$/.test(functionName))
      .map(({ functionName }) => `${functionName} in ${relative(join(folder, 'src'), path)}`),
  );
  return {
    'files that an Edit passes': passed.filter(({ functions }) => busy(functions).length > 0).length,
    'generators that a token passes': generators,
    'functions that an event passes on its way out': emits,
  };
}
