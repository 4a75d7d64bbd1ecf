import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builtInTools } from '../src/tools/index.js';
import { runHelve } from './cli/run-helve.js';

// What the project set out to have: the tools by name, in the groups of its list of features.
const wanted: Readonly<Record<string, readonly string[]>> = {
  'deferred tools': ['ToolSearch'],
  files: ['Read', 'Write', 'Edit', 'MultiEdit', 'LS', 'NotebookRead', 'NotebookEdit'],
  search: ['Glob', 'Grep'],
  shell: ['Bash', 'BashOutput', 'KillShell'],
  agents: ['Task', 'AgentOutput'],
  planning: ['TodoWrite', 'AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'],
  commands: ['Skill', 'SlashCommand'],
  web: ['WebFetch', 'WebSearch'],
  thinking: ['Think', 'MemoryRead', 'MemoryWrite', 'Architect'],
  MCP: ['ListMcpResources', 'ReadMcpResource'],
};

// Beside those: how some models were trained to change files.
const beyond = ['apply_patch'];

// Those that only some conversations have: made of a schema that a run is given, or of one type of agents.
const conditional = ['HelveDocs', 'StructuredOutput'];

// The example of a feature gate.
const gated = 'StickerRequest';

const sorted = (names: readonly string[]): string[] => names.toSorted();

test('helve tools --all lists every tool that it should have, and no others', async () => {
  const { stdout } = await runHelve(['tools', '--json', '--all']);
  const names = JSON.parse(stdout).map(({ name }: { name: string }) => name);
  expect(sorted(names)).toEqual(sorted([...Object.values(wanted).flat(), ...beyond, ...conditional]));
  expect(names).not.toContain(gated);
});

test('the source has the same list as the command line', () => {
  expect(sorted(builtInTools().map(({ name }) => name))).toEqual(sorted([...Object.values(wanted).flat(), ...beyond]));
});

test('tools that only some conversations have are listed with what enables them', async () => {
  const { stdout } = await runHelve(['tools', '--all']);
  expect(stdout).toMatch(/^HelveDocs .*\(off here: only agents of the type helve-guide have it\)$/m);
  expect(stdout).toMatch(/^StructuredOutput .*\(off here: needs --json-schema, which is its input\)$/m);
});

test('the schemas of tools contain limits and defaults', () => {
  const field = (tool: string, name: string): unknown => {
    const properties = builtInTools().find((each) => each.name === tool)?.inputSchema['properties'];
    return Reflect.get(Object(properties), name);
  };
  expect(field('Bash', 'timeout')).toMatchObject({ maximum: 600_000 });
  expect(field('Edit', 'replace_all')).toEqual({ type: 'boolean', default: false });
  expect(field('Task', 'run_in_background')).toEqual({ type: 'boolean', default: false });
  expect(field('AgentOutput', 'block')).toEqual({ type: 'boolean', default: true });
  expect(field('AgentOutput', 'wait_up_to')).toMatchObject({ default: 150, maximum: 600 });
});

test('tools that must be enabled are listed as off, and deferred tools as deferred', async () => {
  const { stdout } = await runHelve(['tools', '--json', '--all']);
  const rows: Array<{ name: string; enabled: boolean; exposure: string }> = JSON.parse(stdout);
  const off = rows.filter(({ enabled }) => !enabled).map(({ name }) => name);
  expect(off).toEqual(expect.arrayContaining(['MemoryRead', 'MemoryWrite', 'Architect']));
  const deferred = ['NotebookRead', 'NotebookEdit', 'AgentOutput', 'ListMcpResources', 'ReadMcpResource'];
  for (const name of [...deferred, 'MemoryRead', 'MemoryWrite', 'Architect']) {
    expect(rows.find((row) => row.name === name)).toMatchObject({ name, exposure: 'deferred' });
  }
});

/** The files of a build that hold a text. */
function filesWith(folder: string, text: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[cm]js$/.test(name));
  expect(files.length).toBeGreaterThan(3); // else there is nothing to look at
  return files.filter((name) => readFileSync(join(folder, name), 'utf8').includes(text));
}

test('a feature whose gate is off is in no file of the build', () => {
  expect(filesWith('dist', gated)).toEqual([]);
  expect(filesWith('dist', 'TodoWrite')).not.toEqual([]);
});

test('a feature whose gate is on is built in, and works', async () => {
  const folder = mkdtempSync('node_modules/.gated-'); // below the project, where its packages are found
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...process.env, HELVE_BUILD_FOLDER: folder, HELVE_FEATURES: 'sticker-request' };
  execFileSync(process.execPath, ['scripts/build.mjs'], { env });
  expect(filesWith(folder, gated)).not.toEqual([]);
  const script = `import { builtInTools } from './${folder}/tools.mjs';
    const tool = builtInTools().find(({ name }) => name === '${gated}');
    await tool.load();
    console.log(tool.accept({ trigger: 'A sticker, please' }).ok);`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(said.trim()).toBe('true');
});

test('an unknown feature gate stops the build', () => {
  const env = { ...process.env, HELVE_FEATURES: 'stickers', HELVE_BUILD_FOLDER: 'node_modules/.never' };
  expect(() => execFileSync(process.execPath, ['scripts/build.mjs'], { env, stdio: 'pipe' })).toThrow(
    'HELVE_FEATURES names stickers, but the features are: sticker-request.',
  );
});
