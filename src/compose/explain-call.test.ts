import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machine } from '../testing/temporary-machine.js';
import { createExplainer } from './explain-call.js';

let root = '';

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'helve-explain-')));
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

test('denies a request with an invalid tool, input, mode, folder or setting, and names the problem', async () => {
  const explain = createExplainer();
  const read = { tool: 'Read', input: { file_path: 'a' }, cwd: root };
  const denied = async (request: Parameters<typeof explain>[0]) => {
    const { decision, reason } = await explain(request);
    expect(decision).toBe('deny');
    return reason;
  };
  expect(await denied({ ...read, tool: 'Raed' })).toBe('There is no tool named "Raed". Did you mean "Read"?');
  expect(await denied({ ...read, input: {} })).toContain('"file_path" is required, but is missing');
  expect(await denied({ ...read, settings: { permissions: { deny: ['Read('] } } })).toContain('no closing parenthesis');
  expect(await denied({ ...read, settings: { permissions: { deny: 'Read' } } })).toContain(
    'settings are not understood',
  );
  expect(await denied({ ...read, settings: [] })).toContain('settings are not understood');
  expect(await denied({ ...read, input: [] })).toBe('The input must be an object.');
  expect(await denied({ ...read, mode: 'yolo' as 'plan' })).toContain('no permission mode "yolo"');
  expect(await denied({ ...read, home: 'here' })).toContain('not an absolute path');
  await writeFile(join(root, 'file'), '');
  expect(await denied({ ...read, cwd: join(root, 'file') })).toContain('is not a folder');
});

test('names what a call puts at risk', async () => {
  const request = { tool: 'Bash', input: { command: 'git push --force origin main' }, cwd: root, settings: {} };
  expect((await createExplainer()(request)).risks).toMatchObject([{ kind: 'rewrites_history', level: 'high' }]);
});

test('decides about a project folder that does not exist as about one that does', async () => {
  const cwd = join(root, 'not-there');
  const explain = createExplainer();
  const settings = { permissions: { deny: ['Read(./.env)'] } };
  const decisionOn = async (command: string) =>
    (await explain({ tool: 'Bash', input: { command }, cwd, home: '/home/nobody', settings })).decision;
  expect(await decisionOn('cat src/a.ts | head')).toBe('allow');
  expect(await decisionOn('cat .env')).toBe('deny');
  expect(await decisionOn('rm a')).toBe('ask');
});

test('uses rule lists at the top level of the settings as well', async () => {
  const settings = { deny: ['Read(./a)'], permissions: { deny: ['Read(./b)'] } };
  const explain = createExplainer();
  for (const [file_path, decision] of Object.entries({ a: 'deny', b: 'deny', c: 'allow' })) {
    expect(await explain({ tool: 'Read', input: { file_path }, cwd: root, settings })).toMatchObject({ decision });
  }
});

test('takes the mode from the request, else from the options, else from the settings', async () => {
  const write = { tool: 'Write', input: { file_path: 'new', content: '' }, cwd: root };
  const settings = { permissions: { defaultMode: 'plan' } };
  const explain = createExplainer();
  expect(await explain({ ...write, settings })).toMatchObject({ mode: 'plan', decision: 'deny' });
  expect(await explain({ ...write, settings, mode: 'acceptEdits' })).toMatchObject({ decision: 'allow' });
  expect(await createExplainer({ mode: 'acceptEdits' })({ ...write, settings })).toMatchObject({ decision: 'allow' });
  const byProject = { permissions: { defaultMode: 'bypassPermissions' } };
  expect(await explain({ ...write, settings: byProject })).toMatchObject({ mode: 'default', decision: 'ask' });
  const switchedOff = { permissions: { disableBypassPermissionsMode: 'disable' } };
  expect(await explain({ ...write, settings: switchedOff, mode: 'bypassPermissions' })).toMatchObject({
    decision: 'deny',
    reason: expect.stringContaining('switched off'),
  });
});

test('without settings in the request, reads the current files, and applies allow rules of a project only if it is trusted', async () => {
  const {
    root: cwd,
    home,
    managedFolder,
    env,
    write,
    dataFolder,
  } = machine({
    'project/.helve/settings.json': { permissions: { allow: ['Bash(make:*)'], deny: ['Read(./.env)'] } },
  });
  const where = { env, ...(managedFolder !== undefined && { managedFolder }) };
  const make = { tool: 'Bash', input: { command: 'make' }, cwd, home };
  const secret = { tool: 'Read', input: { file_path: '.env' }, cwd, home };
  const explain = createExplainer({ settings: where });
  const answer = await explain(make);
  expect(answer.decision).toBe('ask');
  expect(answer.trail).toContainEqual(
    expect.objectContaining({
      basis: 'untrusted',
      rule: expect.objectContaining({ file: '.helve/settings.json', line: 1 }),
    }),
  );
  expect((await explain(secret)).decision).toBe('deny');
  expect((await createExplainer({ settings: { ...where, trust: true } })(make)).decision).toBe('allow');

  write('home/.helve/settings.json', { permissions: { allow: ['Bash(make:*)'] } });
  expect((await explain(make)).decision).toBe('allow');
  expect((await explain({ ...make, settings: {} })).decision).toBe('ask');
  expect((await explain({ ...secret, settings: {} })).decision).toBe('allow');
  write('home/.helve/settings.json', { permissions: { ask: ['Bash('] } });
  expect(await explain(make)).toMatchObject({ decision: 'deny', reason: expect.stringContaining('no closing') });
  expect(
    await explain({ ...secret, input: { file_path: join(dataFolder, 'trust.json') }, settings: {} }),
  ).toMatchObject({
    decision: 'deny',
    trail: [expect.objectContaining({ basis: 'own_data' })],
  });
});

test('drops an invalid allow rule, and reports it', async () => {
  const explanation = await createExplainer()({
    tool: 'Read',
    input: { file_path: 'a' },
    cwd: root,
    settings: { permissions: { allow: ['Bash(npm:*'] } },
  });
  expect(explanation).toMatchObject({ decision: 'allow', problems: [{ severity: 'dropped' }] });
});

test('expands ~ and $HOME to the home folder of the request', async () => {
  const project = join(root, 'tilde');
  const home = join(root, 'somebody');
  await mkdir(project);
  await mkdir(home);
  const explain = createExplainer();
  const settings = { permissions: { deny: ['Read(~/.ssh/**)'] } };
  const denied = { tool: 'Read', input: { file_path: '~/.ssh/id_rsa' }, cwd: project, home, settings };
  expect((await explain(denied)).decision).toBe('deny');
  const byShell = { ...denied, tool: 'Bash', input: { command: 'cat "$HOME/.ssh/id_rsa"' } };
  expect((await explain(byShell)).decision).toBe('deny');
});

test('does not reveal the target of a denied symlink', async () => {
  const project = join(root, 'linked');
  await mkdir(join(project, 'hidden-place'), { recursive: true });
  await symlink('hidden-place', join(project, 'link'));
  const explanation = await createExplainer()({
    tool: 'Read',
    input: { file_path: 'link/key' },
    cwd: project,
    settings: { permissions: { deny: ['Read(./link/**)'] } },
  });
  expect(explanation.decision).toBe('deny');
  expect(JSON.stringify(explanation)).not.toContain('hidden-place');
});

test('decides about an MCP tool by its name, without starting the server', async () => {
  const explain = createExplainer();
  const call = { tool: 'mcp__notes__add', input: { text: 'x' }, cwd: root };
  expect(await explain({ ...call, settings: {} })).toMatchObject({
    decision: 'ask',
    reason: 'mcp__notes__add is a tool of the MCP server notes, which may do anything',
  });
  expect(await explain({ ...call, settings: { permissions: { allow: ['mcp__notes'] } } })).toMatchObject({
    decision: 'allow',
  });
  expect(await explain({ ...call, settings: { permissions: { deny: ['mcp__notes__add'] } } })).toMatchObject({
    decision: 'deny',
  });
});

test('a tool that settings turn off is denied, and the reason names the settings file', async () => {
  const { root: cwd, ...place } = machine({ 'project/.helve/settings.json': { tools: { WebFetch: false } } });
  const explain = createExplainer({ settings: place });
  const input = { url: 'https://example.com', prompt: 'x' };
  expect(await explain({ tool: 'WebFetch', input, cwd, home: place.home })).toMatchObject({
    decision: 'deny',
    reason: expect.stringMatching(
      /^WebFetch is switched off by the setting tools\.WebFetch \(.*settings\.json:\d+.*\)\.$/,
    ),
  });
});

test('takes into account the local hosts that settings allow', async () => {
  const files = { 'home/.helve/settings.json': { webFetch: { localHosts: ['localhost:3000'] } } };
  const { root: cwd, ...place } = machine(files);
  const explain = createExplainer({ settings: place });
  const input = { url: 'http://localhost:3000/a', prompt: 'x' };
  const { effects } = await explain({ tool: 'WebFetch', input, cwd, home: place.home });
  expect(effects).toEqual([expect.objectContaining({ kind: 'network', url: 'http://localhost:3000/a' })]);
});
