import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseSandbox } from '../../platform/sandbox/choose.js';
import { temporaryProject } from '../../testing/index.js';
import { bashTool } from './bash.js';

const sandbox = await chooseSandbox({ env: process.env, workspace: [] });
const walled = test.skipIf(sandbox.kind === 'none');
const wish = { network: 'off', allowWrite: [], denyWrite: [], denyRead: [], failIfUnavailable: true } as const;

walled('a command in the sandbox writes the project and its own temp folder, and nothing else', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  await writeFile(join(outside, 'kept'), 'as it was');
  const project = await temporaryProject({ 'a.txt': 'old' }, { sandbox: wish });
  const { content } = await project.run(bashTool, {
    command: `echo new > a.txt; echo x > /tmp/here && cat /tmp/here; eval "$(printf 'echo lost > %s' ${outside}/kept)"; pwd`,
  });
  expect(String(content)).toContain(project.root);
  expect(await project.text('a.txt')).toBe('new\n');
  expect(await readFile(join(outside, 'kept'), 'utf8')).toBe('as it was');
  await project.remove();
});

walled('a path that was approved to be written is open', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  const project = await temporaryProject({}, { sandbox: wish });
  expect(await project.run(bashTool, { command: `echo yes > ${outside}/file` })).toMatchObject({ isError: false });
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('yes\n');
  await project.remove();
});

walled('a command in the sandbox ends with all it started, and keeps its exit code and directory', async () => {
  const project = await temporaryProject({ 'sub/a.txt': '' }, { sandbox: wish });
  expect(String((await project.run(bashTool, { command: 'cd sub; exit 3' })).content)).toMatch(/^Exit code 3/);
  expect((await project.run(bashTool, { command: 'pwd' })).content).toBe(project.path('sub'));
  await project.remove();
});

walled('the way out of the sandbox leads out', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  const project = await temporaryProject({}, { sandbox: wish });
  await project.run(bashTool, { command: `cd ${outside}; echo out > file`, dangerouslyDisableSandbox: true });
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('out\n');
  await project.remove();
});

test('where walls are demanded and there are none, nothing is run', async () => {
  const project = await temporaryProject({}, { sandbox: wish, env: { ...process.env, PATH: '/nowhere' } });
  const { content, isError } = await project.run(bashTool, { command: 'echo ran' });
  expect(isError).toBe(true);
  expect(content).toMatch(/settings demand a sandbox, and there is none/);
  await project.remove();
});
