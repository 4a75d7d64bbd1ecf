import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { local, type Machine, machine, project, user } from '../testing/temporary-machine.js';
import { config } from './config.js';
import { UsageProblem } from './usage-problem.js';

let here: Machine;
let [out, err] = ['', ''];

beforeEach(() => {
  here = machine();
  [out, err] = ['', ''];
  vi.stubEnv('HELVE_HOME', here.dataFolder);
  vi.stubEnv('CLAUDE_CONFIG_DIR', here.path('home/.claude'));
  vi.spyOn(process, 'cwd').mockReturnValue(here.root);
  vi.spyOn(process.stdout, 'write').mockImplementation(take((text) => (out += text)));
  vi.spyOn(process.stderr, 'write').mockImplementation(take((text) => (err += text)));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const take =
  (keep: (text: string) => void) =>
  (text: string | Uint8Array, ...rest: unknown[]): boolean => {
    keep(String(text));
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };

const json = (): unknown => JSON.parse(out);

test('list shows effective settings and their files, then those without effect and why', async () => {
  here.write(user, '{\n  "model": "mine",\n  "env": { "API_KEY": "hunter2", "LANG": "C" }\n}');
  here.write(project, { model: 'theirs', permissions: { deny: ['Read(.env)'] } });
  expect(await config(['list'])).toBe(0);
  const file = `${here.dataFolder}/settings.json`;
  expect(out).toBe(
    [
      'permissions.deny = "Read(.env)"  (.helve/settings.json:1)',
      `model = "mine"  (${file}:2)`,
      `env.API_KEY = "(hidden)"  (${file}:3)`,
      `env.LANG = "C"  (${file}:3)`,
      'Without effect:',
      '  model = "theirs"  (.helve/settings.json:1): this folder is not trusted with it',
      '',
    ].join('\n'),
  );
  expect(err).toContain('helve config trust');
});

test('list as JSON is complete for programs, and fails if a start would', async () => {
  here.write(project, { permissions: { deny: ['Read('], allow: ['Bash(ls)'] } });
  expect(await config(['list', '--json'])).toBe(1);
  expect(json()).toMatchObject({
    values: [
      { key: 'permissions.deny', value: 'Read(', source: 'project', file: '.helve/settings.json', line: 1 },
      { key: 'permissions.allow', value: 'Bash(ls)', counts: false },
    ],
    trust: { state: 'untrusted' },
    problems: [{ severity: 'fatal' }],
    files: [{ kind: 'project' }],
  });
});

test.each([
  ['model', 'mine\n'],
  ['permissions.deny', '[\n  "Read(a)",\n  "Read(b)"\n]\n'],
  ['env.A.B', 'x\n'],
  ['sandbox', '{\n  "sandbox.enabled": true\n}\n'],
])('get %s prints the effective value', async (key, expected) => {
  here.write(user, {
    model: 'mine',
    permissions: { deny: ['Read(b)'] },
    env: { 'A.B': 'x' },
    sandbox: { enabled: true },
  });
  here.write(local, { permissions: { deny: ['Read(a)'] } });
  expect([await config(['get', key]), out]).toEqual([0, expected]);
});

test('get says that a setting is not set, and suggests the nearest name for an unknown one', async () => {
  expect([await config(['get', 'model']), err]).toEqual([1, 'helve: "model" is not set.\n']);
  await expect(config(['get', 'permissions.denny'])).rejects.toThrow(
    'There is no setting "permissions.denny". Did you mean "permissions.deny"?',
  );
});

test.each([
  ['model', 'opus', [], user, { model: 'opus' }],
  ['cleanupPeriodDays', '7', ['--user'], user, { cleanupPeriodDays: 7 }],
  ['sandbox.enabled', 'true', ['--project'], project, { sandbox: { enabled: true } }],
  ['env.DEBUG', 'true', ['--local'], local, { env: { DEBUG: 'true' } }],
  ['permissions.deny', 'Read(x)', [], user, { permissions: { deny: ['Read(x)'] } }],
  ['permissions.deny', '["Read(x)", "Read(y)"]', [], user, { permissions: { deny: ['Read(x)', 'Read(y)'] } }],
  ['mcpServers.git', '{"command": "git-mcp"}', [], user, { mcpServers: { git: { command: 'git-mcp' } } }],
])('set %s %s writes it to the right file', async (key, value, flags, file, expected) => {
  expect(await config(['set', key, value, ...flags])).toBe(0);
  expect(JSON.parse(here.text(file))).toEqual(expected);
});

test('set refuses invalid values, and writes nothing', async () => {
  for (const words of [
    ['sandbox.enabled', 'maybe'],
    ['permissions.deny', 'Read('],
    ['trustedFolders', '/', '--project'],
    ['permissions.defaultMode', 'bypassPermissions', '--local'],
    ['modle', 'x'],
    ['model', 'x', '--user', '--local'],
  ]) {
    await expect(config(['set', ...words]), words.join(' ')).rejects.toThrow(UsageProblem);
  }
  expect(() => here.text(user)).toThrow('ENOENT');
  expect(() => here.text(project)).toThrow('ENOENT');
});

test('set reports the problem with a value, without a line number', async () => {
  await expect(config(['set', 'permissions.deny', 'Bash(git push'])).rejects.toThrow(
    /^Nothing was written: "Bash\(git push" has no closing parenthesis\. Correct it, and set it again\.$/,
  );
  await expect(config(['set', 'permissions.deny', 'Bsh(git push:*)'])).rejects.toThrow(
    /^Nothing was written: "Bsh\(git push:\*\)" names a tool that does not exist\. Did you mean "Bash\(git push:\*\)"\?$/,
  );
  await expect(config(['set', 'permissions.defaultMode', 'x'])).rejects.toThrow(
    /^Nothing was written: "permissions\.defaultMode" must be one of [^:]+, but was "x"\. Correct it, and set it again\.$/,
  );
});

test('set and unset list the settings of a group', async () => {
  const words =
    /^"permissions" is a group of settings, not one of them\. Name one: permissions\.allow, permissions\.ask/;
  await expect(config(['set', 'permissions', 'x'])).rejects.toThrow(words);
  await expect(config(['unset', 'permissions'])).rejects.toThrow(words);
});

test('set, then unset, leaves the rest of the file unchanged', async () => {
  here.write(user, '{\n  // mine\n  "theme": "dark"\n}\n');
  await config(['set', 'model', 'opus']);
  expect(here.text(user)).toBe('{\n  // mine\n  "theme": "dark",\n  "model": "opus"\n}\n');
  await config(['unset', 'model']);
  expect(here.text(user)).toBe('{\n  // mine\n  "theme": "dark"\n}\n');
});

test('trust shows that commands and skills come with the folder', async () => {
  here.write('project/.helve/commands/st.md', 'Status.');
  here.write('project/.claude/skills/report/SKILL.md', 'Report.');
  await config(['trust', '--yes']);
  expect(out).toContain('run and allow, now and later: .helve/commands, .claude/skills\n');
});

test('trust shows that types of agents come with the folder', async () => {
  here.write('project/.claude/agents/reviewer.md', 'You review.');
  await config(['trust', '--yes']);
  expect(out).toContain('  agents, now and later: .claude/agents\n');
  expect(out).not.toContain('nothing that needs trust');
});

test('trust shows everything, changes nothing without a yes, and applies until something changes', async () => {
  here.write(project, { hooks: { Stop: [{ hooks: [{ type: 'command', command: './notify' }] }] } });
  await expect(config(['trust'])).rejects.toThrow('There is no terminal to ask on.');
  expect(out).toContain('./notify');
  expect(await config(['trust', '--yes'])).toBe(0);
  out = '';
  await config(['trust']);
  expect(out).toBe(`${here.root} is trusted already.\n`);
  await config(['untrust']);
  expect(await config(['list'])).toBe(0);
  expect(err).toContain('the folder is not trusted: hooks.Stop');
});

test('list reports matchers of hooks that can match no tool', async () => {
  const hooks = [{ type: 'command', command: './guard' }];
  const groups = ['Bash(git *)', 'BashTool', 'Bash', 'mcp__gh__x'].map((matcher) => ({ matcher, hooks }));
  here.write(project, { hooks: { PreToolUse: groups } });
  await config(['list']);
  expect(err).toContain('A hook for PreToolUse may never run: the matcher "Bash(git *)" matches no tool');
  expect(err).toContain(
    'the matcher "BashTool" matches no tool, since names are compared letter by letter. Did you mean',
  );
  expect(err.match(/may never run/g)).toHaveLength(2);
});

test('path lists the locations of settings', async () => {
  here.write(local, {});
  await config(['path', '--json']);
  expect(json()).toContainEqual({
    source: 'local',
    file: '.helve/settings.local.json',
    path: here.path(local),
    exists: true,
  });
});

test('keys and schema list the same settings', async () => {
  await config(['keys', '--json']);
  expect(json()).toContainEqual({
    key: 'permissions.deny',
    about: 'Rules for calls that are refused.',
    merge: 'together',
    project: 'always',
    broken: 'no start',
  });
  out = '';
  await config(['schema']);
  expect(json()).toMatchObject({
    properties: { sandbox: { properties: { network: { properties: { allowedDomains: { type: 'array' } } } } } },
  });
});

test('an extra word, or an unknown action, is a usage error', async () => {
  await expect(config(['frob'])).rejects.toThrow('There is no "helve config frob".');
  await expect(config(['get'])).rejects.toThrow('takes 1 argument, but there are 0');
});
