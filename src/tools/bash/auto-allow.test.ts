import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FullEngineOptions } from '../../compose/options.js';
import type { AgentHappening } from '../../contract/event.js';
import type { Decision, PermissionQuestion } from '../../contract/permission.js';
import type { SandboxConfig } from '../../contract/tool-context.js';
import { chooseSandbox } from '../../platform/sandbox/choose.js';
import { temporaryProject } from '../../testing/index.js';

const { kind } = await chooseSandbox({ env: process.env, workspace: [] });
const sandboxed = test.skipIf(kind === 'none');
const config: SandboxConfig = {
  network: 'off',
  allowWrite: [],
  denyWrite: [],
  denyRead: [],
  failIfUnavailable: false,
  autoAllow: true,
};

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-outside-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A project whose user says no to every question, with records of questions, decisions and notices. */
async function project(
  files: Readonly<Record<string, string>>,
  options: Omit<FullEngineOptions, 'root' | 'dataFolder'> = {},
) {
  const questions: PermissionQuestion[] = [];
  const made = await temporaryProject(files, {
    permissionMode: 'default',
    sandbox: config,
    askPermission: async (question) => {
      questions.push(question);
      return { behavior: 'deny' };
    },
    ...options,
  });
  onTestFinished(() => made.remove());
  const happenings: AgentHappening[] = [];
  let number = 0;
  const run = async (input: Readonly<Record<string, unknown>>): Promise<string> => {
    number += 1;
    const [result] = await made.engine.callTools([{ id: `call_${number}`, name: 'Bash', input }], {
      onEvent: (happening) => happenings.push(happening),
    });
    return String(result?.content);
  };
  const decisions = (): Decision[] =>
    happenings.flatMap((event) => (event.type === 'permission_decision' ? [event.decision] : []));
  const notices = (): string[] => happenings.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  return { ...made, run, questions, decisions, notices };
}

sandboxed('an unknown script runs without a question, and writes only in the project', async () => {
  const home = await temporaryFolder();
  const { run, questions, decisions, path, text } = await project(
    { 'run.sh': 'echo built > out.txt; echo stolen > "$HOME/out.txt"; echo ran' },
    { home, env: { ...process.env, HOME: home } },
  );
  const output = await run({ command: 'sh ./run.sh' });
  expect(output).toMatch(/Read-only file system|Permission denied|Directory nonexistent/);
  expect(output).toContain('ran');
  expect(questions).toEqual([]);
  expect(decisions()).toMatchObject([{ behavior: 'allow', confinement: 'sandbox' }]);
  expect(await text('out.txt')).toBe('built\n');
  expect(existsSync(join(home, 'out.txt'))).toBe(false);
  expect(existsSync(path('out.txt'))).toBe(true);
});

sandboxed('a path outside that a command names is not made writable, unless a rule allows it', async () => {
  const [open, closed] = [await temporaryFolder(), await temporaryFolder()];
  const { run, questions } = await project({}, { permissions: { allow: [`Edit(/${open}/**)`] } });
  await run({ command: `echo yes > ${open}/a; echo no > ${closed}/a` });
  expect(questions).toEqual([]);
  expect(await readFile(join(open, 'a'), 'utf8')).toBe('yes\n');
  expect(existsSync(join(closed, 'a'))).toBe(false);
});

sandboxed('a command that runs outside the sandbox needs a question as usual', async () => {
  const { run, questions, path } = await project(
    { 'run.sh': 'touch made' },
    { sandbox: { ...config, excluded: ['sh ./run.sh'] } },
  );
  expect(await run({ command: 'sh ./run.sh' })).toContain('refused');
  expect(await run({ command: 'sh ./other.sh', dangerouslyDisableSandbox: true })).toContain('refused');
  expect(questions.map(({ confinement }) => confinement)).toEqual([
    'Runs without a sandbox: settings exclude this command from it.',
    'Runs without a sandbox.',
  ]);
  expect(existsSync(path('made'))).toBe(false);
});

sandboxed('deny rules apply, and files that may not be read are hidden', async () => {
  const { run, questions } = await project(
    { '.env': 'SECRET', 'run.sh': 'cat .env; echo ran' },
    { permissions: { deny: ['Read(.env)', 'Bash(make:*)'] } },
  );
  expect(await run({ command: 'make' })).toContain('Bash(make:*)');
  const output = await run({ command: './run.sh || sh run.sh' });
  expect(output).toContain('ran');
  expect(output).not.toContain('SECRET');
  expect(questions).toEqual([]);
});

test('has no effect if no sandbox works, and one notice says so', async () => {
  const env = { ...process.env, PATH: '/nowhere' };
  const { run, questions, notices } = await project({}, { env });
  expect(await run({ command: 'sh run.sh' })).toContain('refused');
  await run({ command: 'sh run.sh' });
  expect(questions).toHaveLength(2);
  const told = notices().filter((text) => text.includes('autoAllowBashIfSandboxed'));
  expect(told).toEqual([expect.stringContaining('has no effect on this machine. bwrap was not found')]);
});

test('the first question says why commands cannot be confined, and later ones do not', async () => {
  const { run, questions } = await project({}, { env: { ...process.env, HELVE_WALLS: 'none' }, sandbox: undefined });
  await run({ command: 'sh run.sh' });
  await run({ command: 'sh run.sh' });
  expect(questions.map(({ confinement }) => confinement)).toEqual([
    'Runs without a sandbox. Commands are not confined because HELVE_WALLS is "none".',
    'Runs without a sandbox.',
  ]);
});

sandboxed('a command that was allowed because of the sandbox does not run without it', async () => {
  let sandbox: SandboxConfig | undefined = config;
  const { engine, root } = await project({});
  const accepted = (await import('./bash.js')).bashTool.accept({ command: 'touch made' });
  if (!accepted.ok) throw new Error('the input is not accepted');
  Object.defineProperty(engine.session, 'sandbox', { get: () => sandbox });
  const context = engine.contextFor('call', new AbortController().signal, {
    effects: await accepted.call.effects(engine.contextFor('call', new AbortController().signal)),
    confinement: 'sandbox',
  });
  sandbox = undefined;
  await expect(accepted.call.run(context).next()).rejects.toThrow('it would run in the sandbox');
  expect(existsSync(join(root, 'made'))).toBe(false);
});
