import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Effect, FileEffect } from '../../contract/effect.js';
import type { SandboxConfig } from '../../contract/tool-context.js';
import { chooseConfiner } from '../../platform/sandbox/confiner.js';
import { type TestProject, temporaryProject } from '../../testing/index.js';
import { bashTool } from './bash.js';

const found = await chooseConfiner({ env: process.env, workspace: [] });
const confined = test.skipIf(!found.confiner);
const config: SandboxConfig = {
  network: 'off',
  allowWrite: [],
  denyWrite: [],
  denyRead: [],
  failIfUnavailable: true,
  mode: 'effects',
};

async function project(files: Readonly<Record<string, string>>, sandbox = config): Promise<TestProject> {
  const made = await temporaryProject(files, { sandbox });
  onTestFinished(() => made.remove());
  return made;
}

const copies: Effect = { kind: 'command', text: 'cp', argv: ['cp'], harmless: false };
const writes = (path: string): FileEffect => ({
  kind: 'file',
  access: 'write',
  path,
  real: path,
  by: { command: 0, as: 'operand' },
});

/** Runs a command as one that the user approved, with these effects. */
async function runWith({ engine }: TestProject, command: string, effects: readonly Effect[]): Promise<string> {
  const accepted = bashTool.accept({ command });
  if (!accepted.ok) throw new Error('the input is not accepted');
  const context = engine.contextFor('call', new AbortController().signal, { effects, confinement: 'approved' });
  const running = accepted.call.run(context);
  try {
    for (;;) {
      const { done, value } = await running.next();
      if (done) return String(value.content);
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

confined('an approved command with known effects can write only the paths that they name', async () => {
  const made = await project({ a: 'new', b: 'old', c: 'old' });
  const output = await runWith(made, 'cp a b; cp a c', [copies, writes(made.path('b'))]);
  expect(output).toContain('Read-only file system');
  expect(output).toContain('"sandbox.mode" is "effects"');
  expect([await made.text('b'), await made.text('c')]).toEqual(['new', 'old']);
});

confined('a command that failed because of that runs in the ordinary sandbox when it is sent again', async () => {
  const made = await project({ a: 'new', b: 'old', c: 'old' });
  await runWith(made, 'cp a b; cp a c', [copies, writes(made.path('b'))]);
  const again = await made.run(bashTool, { command: 'cp a b; cp a c' });
  expect([again.isError, await made.text('c')]).toEqual([false, 'new']);
});

confined('ordinary file changes work', async () => {
  const made = await project({ a: 'one\n', 'dir/x': 'x' });
  const command =
    'mkdir -p sub && cp a sub/b && mv a c && sed -i s/one/two/ sub/b && rm -r dir && touch sub/d && cat sub/b';
  const { content, isError } = await made.run(bashTool, { command });
  expect([String(content), isError]).toEqual(['two', false]);
  expect([existsSync(made.path('dir')), existsSync(made.path('sub/d')), existsSync(made.path('a'))]).toEqual([
    false,
    true,
    false,
  ]);
});

confined('a command with unknown effects runs in the ordinary sandbox', async () => {
  const made = await project({ 'run.sh': 'echo x > one; echo x > two' });
  for (const command of ['sh run.sh', "node -e \"require('fs').writeFileSync('three', '')\""]) {
    expect(await made.run(bashTool, { command })).toMatchObject({ isError: false });
  }
  expect(['one', 'two', 'three'].map((name) => existsSync(made.path(name)))).toEqual([true, true, true]);
});

confined('a command that leaves the sandbox, or is excluded by settings, is not confined to its effects', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  onTestFinished(() => rm(outside, { recursive: true, force: true }));
  const made = await project({ a: 'a' }, { ...config, excluded: ['cp'] });
  const readlink = 'readlink /proc/self/ns/pid > pid';
  await made.run(bashTool, { command: readlink, dangerouslyDisableSandbox: true });
  const host = await made.text('pid');
  await made.run(bashTool, { command: readlink });
  expect(await made.text('pid')).not.toBe(host);
  expect(await made.run(bashTool, { command: `cp a ${outside}/a` })).toMatchObject({ isError: false });
  expect(existsSync(join(outside, 'a'))).toBe(true);
});

confined('paths in denyWrite cannot be written', async () => {
  const denyWrite: string[] = [];
  const made = await project({ a: 'new', 'dir/kept': 'old', 'dir/b': 'old' }, { ...config, denyWrite });
  denyWrite.push(made.path('dir/kept'));
  const below: Effect = { ...writes(made.path('dir')), tree: true };
  await runWith(made, 'cp a dir/b; cp a dir/kept', [copies, below]);
  expect([await made.text('dir/b'), await made.text('dir/kept')]).toEqual(['new', 'old']);
});
