import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FullEngineOptions } from '../../compose/options.js';
import type { ToolResultBlock } from '../../contract/message.js';
import { temporaryProject } from '../../testing/temporary-project.js';
import { until } from '../../testing/watch-processes.js';
import { PermissionTool } from './permission-tool.js';

/** A project in which a server's tool answers permission questions, with this text. */
async function projectWith(
  answer: string,
  { tool = 'mcp__gate__approve', ...options }: Omit<FullEngineOptions, 'root' | 'dataFolder'> & { tool?: string } = {},
) {
  const file = join(await mkdtemp(join(tmpdir(), 'helve-approver-')), 'answer');
  await writeFile(file, answer);
  const approver = new PermissionTool(tool);
  const gate = { command: process.execPath, args: [resolve('test/fixtures/mcp/odd-server.mjs'), 'approves', file] };
  const project = await temporaryProject(
    {},
    {
      mcpServers: { gate },
      permissionMode: 'default',
      interactive: false,
      askPermission: approver.askPermission,
      ...options,
    },
  );
  onTestFinished(async () => await project.remove());
  approver.attach(project.engine.session);
  await project.engine.servers.settled();
  return {
    ...project,
    async write(content: string): Promise<ToolResultBlock | undefined> {
      const input = { file_path: 'a.txt', content };
      return (await project.engine.callTools([{ id: 'toolu_1', name: 'Write', input }]))[0];
    },
    isThere: () => existsSync(join(project.engine.session.root, 'a.txt')),
    asked: async (): Promise<unknown> =>
      existsSync(`${file}.asked`) ? JSON.parse(await readFile(`${file}.asked`, 'utf8')) : undefined,
  };
}

test('a call that the tool allows runs, and the tool gets the call', async () => {
  const { write, text, asked } = await projectWith('{"behavior":"allow"}');
  expect(await write('one\n')).not.toHaveProperty('is_error');
  expect(await text('a.txt')).toBe('one\n');
  expect(await asked()).toEqual({
    tool_name: 'Write',
    input: { file_path: 'a.txt', content: 'one\n' },
    tool_use_id: 'toolu_1',
  });
});

test('the input that the tool returns is run', async () => {
  const updatedInput = { file_path: 'a.txt', content: 'two\n' };
  const { write, text } = await projectWith(JSON.stringify({ behavior: 'allow', updatedInput }));
  await write('one\n');
  expect(await text('a.txt')).toBe('two\n');
});

test('a call that the tool denies does not run, and the model gets the reason', async () => {
  const { write, isThere } = await projectWith('{"behavior":"deny","message":"not on a Sunday"}');
  expect(await write('one\n')).toMatchObject({ is_error: true, content: expect.stringContaining('not on a Sunday') });
  expect(isThere()).toBe(false);
});

test.each([
  'yes',
  '',
  'null',
  '[]',
  '"allow"',
  '{}',
  '{"behavior":"ALLOW"}',
  '{"behavior":["allow"]}',
  '{"behavior":"allow","updatedInput":"everything"}',
  '{"behavior":"allow","updatedInput":null}',
  '{"behavior":"allow","updated_input":{"file_path":"b.txt"}}',
  '{"behavior":"allow","decision":"deny"}',
  '{"behavior":"allow"} {"behavior":"allow"}',
])('an answer that is not a clear yes denies: %s', async (answer) => {
  const { write, isThere } = await projectWith(answer);
  expect(await write('one\n')).toMatchObject({ is_error: true, content: expect.stringContaining('was not run') });
  expect(isThere()).toBe(false);
});

test.each([
  ['is not there', { tool: 'mcp__gate__missing' }],
  ['is no tool of a server', { tool: 'Think' }],
  ['fails', { tool: 'mcp__gate__fail' }],
  ['is denied by a rule', { permissions: { deny: ['mcp__gate__approve'] } }],
])('if the tool %s, the call does not run', async (_, options) => {
  const { write, isThere } = await projectWith('{"behavior":"allow"}', options);
  expect(await write('one\n')).toMatchObject({ is_error: true, content: expect.stringContaining('was not run') });
  expect(isThere()).toBe(false);
});

test('an input that a rule denies does not run, even if the tool allows it', async () => {
  const updatedInput = { file_path: '.env', content: 'x' };
  const { write, engine } = await projectWith(JSON.stringify({ behavior: 'allow', updatedInput }), {
    permissions: { deny: ['Write(.env)'] },
  });
  expect(await write('one\n')).toMatchObject({ is_error: true });
  expect(existsSync(join(engine.session.root, '.env'))).toBe(false);
});

test('the tool is not asked about calls that rules decide', async () => {
  const { write, asked } = await projectWith('{"behavior":"allow"}', { permissions: { deny: ['Write'] } });
  expect(await write('one\n')).toMatchObject({ is_error: true });
  expect(await asked()).toBeUndefined();
});

test('a tool that its server has changed is not asked', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'helve-approver-')), 'description');
  await writeFile(file, 'Decides.');
  const server = resolve('test/fixtures/mcp/odd-server.mjs');
  const approver = new PermissionTool('mcp__gate__pay');
  const project = await temporaryProject(
    {},
    {
      mcpServers: { gate: { command: process.execPath, args: [server, 'changes', file, 'Decides otherwise.'] } },
      permissionMode: 'default',
      askPermission: approver.askPermission,
    },
  );
  onTestFinished(async () => await project.remove());
  const { session, servers, callTools } = project.engine;
  approver.attach(session);
  await servers.settled();
  const write = async () =>
    await callTools([{ id: 'toolu_1', name: 'Write', input: { file_path: 'a.txt', content: 'one\n' } }]);
  await write(); // the server changes the tool while answering
  await until(() => servers.states().some(({ changes }) => changes.length > 0));
  expect(await write()).toMatchObject([
    { is_error: true, content: expect.stringContaining('waits for approval of its changed definition') },
  ]);
});
