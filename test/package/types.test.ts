// Whether the package gives the right types to those who import it, by the two tools that look for what goes wrong there.
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { beforeAll, expect, test } from 'vitest';
import { counterpart } from '../counterparts.js';
import { INSTALL_MS, installedPackage } from './pack-once.js';

const run = promisify(execFile);

let tarball: string;
let installed: string;
beforeAll(async () => {
  const { folder } = await installedPackage();
  const place = dirname(folder);
  const [name = ''] = (await readdir(place)).filter((each) => each.endsWith('.tgz'));
  tarball = join(place, name);
  installed = folder;
}, INSTALL_MS);

test.concurrent('each entry resolves to its types, for programs that are ES modules and for bundlers', async ({
  expect,
  skip,
}) => {
  const attw = counterpart('test-tools', '@arethetypeswrong/cli/dist/index.js');
  if (!attw.isThere) skip(attw.missing);
  const args = [tarball, '--profile', 'esm-only', '--no-definitely-typed', '--format', 'json'];
  const { stdout } = await run(process.execPath, [attw.path, ...args]);
  const { analysis } = JSON.parse(stdout);
  expect(Object.keys(analysis.entrypoints)).toEqual(expect.arrayContaining(['.', './mcp', './models', './testing']));
  const problems: ReadonlyArray<{ kind: string; resolutionKind?: string }> = analysis.problems;
  const ignored = ['node10', 'node16-cjs']; // the package has no form for `require`
  expect(problems.filter(({ resolutionKind = '' }) => !ignored.includes(resolutionKind))).toEqual([]);
});

test('package.json and the files of the package pass publint', async () => {
  const { messages } = await publint({ pkgDir: join(installed, 'node_modules/helve'), pack: false, strict: true });
  expect(messages).toEqual([]);
});

const program = `
import { type AgentEvent, chatTools, createAgent, createEngine, defineTool, type HookCallbacks, type Run } from 'helve';
import { connectMcpServers, serveMcpOverHttp } from 'helve/mcp';
import { chooseModel, scriptedModel } from 'helve/models';
import { startFakeModelServer, temporaryProject } from 'helve/testing';
import { builtInTools } from 'helve/tools';
import * as z from 'zod';

const count = defineTool({
  name: 'Count',
  description: 'Count words.',
  input: z.strictObject({ text: z.string() }),
  effects: () => [],
  execute: async ({ text }) => text.split(' ').length,
  toModel: (words) => words.toFixed(),
});
const hooks: HookCallbacks = {
  PreToolUse: [{ hooks: [({ tool_name, tool_use_id }) => ({ systemMessage: tool_name + tool_use_id })] }],
  Stop: [{ hooks: [({ stop_hook_active }) => (stop_hook_active ? undefined : { decision: 'block' })] }],
};
await using agent = createAgent({
  model: scriptedModel({ turns: [] }),
  tools: [count, ...builtInTools()],
  hooks,
  canUseTool: (tool, input, { effects }) => (effects.length > 0 ? { behavior: 'deny' } : { behavior: 'allow' }),
});
const words = (event: AgentEvent): string => (event.type === 'text_delta' ? event.text : event.type);
for await (const event of agent.run('x')) words(event);
const run: Run<{ age: number }> = agent.run('x', { output: z.object({ age: z.number() }) });
export const age: number = (await run.result).output.age;
// @ts-expect-error: no output was asked for
(await agent.run('x').result).output.age;
export const others = [chatTools(createEngine()), chooseModel, connectMcpServers, serveMcpOverHttp, startFakeModelServer, temporaryProject];
`;

test.concurrent('a strict program compiles against the type declarations, which have no errors of their own', async () => {
  await writeFile(join(installed, 'program.mts'), program);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2024', 'esnext.disposable'],
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
    skipLibCheck: false,
  };
  await writeFile(join(installed, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.mts'] }));
  const compiled = run('npx', ['tsc', '-p', join(installed, 'tsconfig.json')]).catch(({ stdout }) => ({ stdout }));
  expect((await compiled).stdout).toBe('');
});
