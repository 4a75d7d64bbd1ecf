// The path of a new user: install Helve, run what the README shows, write a tool, be refused, serve.
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runInspector, withInspector } from '../scenarios/official-suite.js';
import { INSTALL_MS, type InstalledPackage, installedPackage } from './pack-once.js';
import { type InstalledRun, runInstalled } from './run-installed.js';

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installedPackage();
}, INSTALL_MS);

/** By the name that npm has given it, as a person would. */
async function helve(...args: string[]): Promise<InstalledRun> {
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const program = join(installed.folder, 'node_modules/.bin/helve');
  return await runInstalled(program, args, { cwd: installed.folder, path });
}

test('the program in the README runs unchanged', async () => {
  const readme = await readFile(join(installed.folder, 'node_modules/helve/README.md'), 'utf8');
  const program = /^## The SDK\n[\s\S]*?^```js\n([\s\S]*?)^```/m.exec(readme)?.[1] ?? '';
  await writeFile(join(installed.folder, 'from-readme.mjs'), program);
  const run = await runInstalled(process.execPath, ['from-readme.mjs'], { cwd: installed.folder });
  expect(run).toEqual({ code: 0, stdout: 'WordCount: The text has 4 words.\nIt has four words.\n', stderr: '' });
});

test('a custom tool runs in an engine, and is not called with an invalid input', async () => {
  await writeFile(join(installed.folder, 'shout.mjs'), ownTool);
  const run = await runInstalled(process.execPath, ['shout.mjs'], { cwd: installed.folder });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toMatch(
    /^false HELLO\ntrue Shout: the input has 2 problems\.\n- "text" is required, but is missing\n/,
  );
});

test('the result of a denied call says what was denied, why, and what to do next', async () => {
  const denied = await helve('call', 'Bash', '{"command": "rm -rf build"}');
  expect(denied.code).toBe(1);
  expect(JSON.parse(denied.stdout)).toMatchObject({
    is_error: true,
    content:
      'Bash was not run: it runs the command "rm -rf build" (it writes), and no one can be asked here. ' +
      'Do not look for another way to do the same; ask the user or go on without it.',
  });
  expect(denied.stderr).toContain("To allow it, add: --allowed-tools 'Bash(rm -rf build)'");
  const explained = await helve('permissions', 'explain', 'Bash', '{"command": "rm -rf build"}');
  expect(explained).toMatchObject({ code: 0, stderr: '' });
  expect(explained.stdout).toMatch(
    /^Asks first: it deletes build and everything in it\.[\s\S]+^ {2}\? runs rm -rf build/m,
  );
  const allowed = await helve('call', '--allowed-tools', 'Bash(rm -rf build)', 'Bash', '{"command": "rm -rf build"}');
  expect(allowed.code).toBe(0);
});

withInspector('helve mcp serve is listed by the official inspector', async () => {
  const program = join(installed.folder, 'node_modules/helve/bin/helve.cjs');
  const env = { PATH: process.env['PATH'] ?? '', HOME: installed.folder };
  const words = [process.execPath, program, 'mcp', 'serve', '--method', 'tools/list'];
  const { output } = await runInspector(words, { cwd: installed.folder, env });
  const names = JSON.parse(output).tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['Read', 'Edit', 'Grep', 'Bash']));
});

const ownTool = `import { createEngine, defineTool } from 'helve';
import * as z from 'zod';

const shout = defineTool({
  name: 'Shout',
  description: 'Say a text loudly.',
  input: z.strictObject({ text: z.string() }),
  effects: () => [],
  execute: async ({ text }) => text.toUpperCase(),
  toModel: (loud) => loud,
});
const engine = createEngine({ root: process.cwd(), tools: [shout] });
const results = await engine.runCalls([
  { id: '1', name: 'Shout', input: { text: 'hello' } },
  { id: '2', name: 'Shout', input: { loud: 'hello' } },
]);
for (const { content, is_error = false } of results) console.log(is_error, content);
await engine.end();
`;
