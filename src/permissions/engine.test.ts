import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CommandEffect, Effect, FileEffect } from '../contract/effect.js';
import type { Behavior, DecisionRequest, PermissionMode } from '../contract/permission.js';
import { toolTable } from '../tools/index.js';
import { decide, showing } from './engine.js';
import { isDeniedOutright } from './match-rule.js';
import { parseRules } from './parse-rule.js';
import type { Policy } from './policy.js';
import type { Rule, RuleLists } from './rule.js';
import type { PolicySandbox } from './sandboxed-call.js';

const tools = toolTable();

const P = '/work/project';
const anchors = { source: [P], project: [P], home: ['/home/me'] };

function rulesOf(lists: RuleLists, { trusted = true } = {}): Rule[] {
  const { rules, problems } = parseRules(lists, { source: { file: 'settings.json' }, anchors, tools, trusted });
  expect(problems).toEqual([]);
  return rules;
}

const policy = (more: Partial<Policy> = {}): Policy => ({
  mode: 'default',
  workspace: [P, '/added'],
  dataFolders: ['/home/me/.helve', '/linked/helve'],
  resultsFolder: '/home/me/.helve/sessions/1/results',
  home: ['/home/me'],
  style: { foldsCase: false, windows: false },
  tools,
  ...more,
});

interface Judged {
  lists?: RuleLists;
  mode?: PermissionMode;
  request?: Partial<DecisionRequest>;
}

const judge = (tool: string, effects: readonly Effect[], { lists = {}, mode = 'default', request = {} }: Judged = {}) =>
  decide({ tool, input: {}, effects, ...request }, policy({ mode, rules: rulesOf(lists) }));

const file = (access: 'read' | 'write', path: string, more: Partial<FileEffect> = {}): FileEffect => ({
  kind: 'file',
  access,
  path,
  real: path,
  ...more,
});
const command = (text: string, more: Partial<CommandEffect> = {}): CommandEffect => ({
  kind: 'command',
  text,
  argv: text.split(' '),
  harmless: false,
  ...more,
});
const harmless = (text: string, more: Partial<CommandEffect> = {}) => command(text, { harmless: true, ...more });
const operand = (of = 0) => ({ by: { command: of, as: 'operand' as const } });
const redirection = (of = 0) => ({ by: { command: of, as: 'redirection' as const } });
const cwd: Effect = { kind: 'session', access: 'write', what: 'cwd' };
const unknown: Effect = { kind: 'unknown', why: 'it could touch anything' };
const fetch = (url: string): Effect => ({ kind: 'network', url });

test.each<[string, Effect[], PermissionMode, Behavior]>([
  ['nothing touched', [], 'default', 'allow'],
  ['a read in the project', [file('read', `${P}/a`)], 'default', 'allow'],
  ['a read in an added folder', [file('read', '/added/a')], 'default', 'allow'],
  ['a read beside the project', [file('read', `${P}-evil/a`)], 'default', 'ask'], // CVE-2025-54794
  ['a link that leads out', [file('read', `${P}/a`, { real: '/etc/passwd' })], 'default', 'ask'],
  ['a name outside that leads in', [file('read', '/tmp/link', { real: `${P}/a` })], 'default', 'ask'],
  ['a write in the project', [file('write', `${P}/a`)], 'default', 'ask'],
  ['a read and a write', [file('read', `${P}/a`), file('write', `${P}/a`)], 'default', 'ask'],
  ['a harmless command', [harmless('ls'), cwd], 'default', 'allow'],
  ['another command', [command('make')], 'default', 'ask'],
  ['the network', [fetch('https://x.test')], 'default', 'ask'],
  ['an unknown', [unknown], 'default', 'ask'],
  ['an unknown', [unknown], 'bypassPermissions', 'allow'],
  ['a write in the project', [file('write', `${P}/a`)], 'plan', 'deny'],
  ['a read in the project', [file('read', `${P}/a`)], 'plan', 'allow'],
  ['a read elsewhere', [file('read', '/etc/hosts')], 'plan', 'ask'],
  ['a harmless command', [harmless('ls')], 'plan', 'allow'],
  ['a harmless command into a file', [harmless('ls'), file('write', `${P}/a`, redirection())], 'plan', 'deny'],
  ['another command', [command('make')], 'plan', 'deny'],
  ['the network', [fetch('https://x.test')], 'plan', 'ask'],
  ['an unknown', [unknown], 'plan', 'deny'],
  ['an unknown', [unknown], 'dontAsk', 'deny'],
  ['a read in the project', [file('read', `${P}/a`)], 'dontAsk', 'allow'],
  ['a write in the project', [file('write', `${P}/a`)], 'acceptEdits', 'allow'],
  ['a write elsewhere', [file('write', '/tmp/a')], 'acceptEdits', 'ask'],
  ['a write through a link', [file('write', `${P}/a`, { real: '/tmp/a' })], 'acceptEdits', 'ask'],
  ['mkdir', [command('mkdir a'), file('write', `${P}/a`, operand())], 'acceptEdits', 'allow'],
  ['mkdir elsewhere', [command('mkdir /a/b'), file('write', '/a/b', operand())], 'acceptEdits', 'ask'],
  ['rm', [command('rm a'), file('write', `${P}/a`, { removes: true, ...operand() })], 'acceptEdits', 'allow'],
  ['rm -f', [command('rm -f a'), file('write', `${P}/a`, { removes: true, ...operand() })], 'acceptEdits', 'ask'],
  ['rm -r', [command('rm -r a'), file('write', `${P}/a`, { removes: true, ...operand() })], 'acceptEdits', 'ask'],
  [
    'sudo',
    [command('sudo mkdir a'), command('mkdir a', { wrappedBy: 0 }), file('write', `${P}/a`, operand(1))],
    'acceptEdits',
    'ask',
  ],
  ['sed', [command('sed -i s/a/b/g a'), file('write', `${P}/a`, operand())], 'acceptEdits', 'allow'],
  ['sed that runs', [command('sed -i s/a/b/e a'), file('write', `${P}/a`, operand())], 'acceptEdits', 'ask'],
  ['a writer that is not seen to write', [command('cp a b')], 'acceptEdits', 'ask'],
  ['a saved result', [file('read', '/home/me/.helve/sessions/1/results/x.txt')], 'default', 'allow'],
  ['a write to it', [file('write', '/home/me/.helve/sessions/1/results/x.txt')], 'bypassPermissions', 'deny'],
  ['results of another session', [file('read', '/home/me/.helve/sessions/2/results/x')], 'bypassPermissions', 'deny'],
  ['our own data by its other name', [file('read', '/linked/helve/x')], 'bypassPermissions', 'deny'],
  [
    'a link into our own data',
    [file('read', `${P}/a`, { real: '/home/me/.helve/trust.json' })],
    'bypassPermissions',
    'deny',
  ],
])('%s: %j in mode %s gives %s', (_, effects, mode, expected) => {
  expect(judge('Any', effects, { mode }).behavior).toBe(expected);
});

test.each<[string]>([
  [`${P}/.git`],
  [`${P}/.git/config`],
  [`${P}/.GIT/config`],
  [`${P}/.g\u200cit/config`],
  [`${P}/sub/.git/hooks/post-checkout`],
  [`${P}/.vscode/tasks.json`],
  [`${P}/.husky/pre-commit`],
  [`${P}/.claude/settings.json`],
  [`${P}/.helve/settings.local.json`],
  [`${P}/.mcp.json`],
  [`${P}/.env`],
  [`${P}/.env.production`],
  [`${P}/node_modules/x/index.js`],
  [`${P}/.npmrc`],
  ['/home/me/.bashrc'],
  ['/home/me/.ssh/authorized_keys'],
  ['/home/me/.config/git/config'],
  [`${P}/.claude/worktrees/one/.git/config`],
])('writing %s is asked about in every mode, and no rule or hook helps', (path) => {
  const lists = { allow: ['Edit', 'Edit(//**)', 'Bash'] };
  const hooks = [{ behavior: 'allow' as const }];
  for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
    expect(judge('Write', [file('write', path)], { mode, lists, request: { hooks } }).behavior).toBe('ask');
    const byLink = file('write', `${P}/innocent`, { real: path });
    expect(judge('Write', [byLink], { mode, lists, request: { hooks } }).behavior).toBe('ask'); // CVE-2026-12957
    const byShell = [command('echo x'), file('write', path, redirection())];
    expect(judge('Bash', byShell, { mode, lists, request: { hooks } }).behavior).toBe('ask');
  }
  expect(judge('Write', [file('write', path)], { mode: 'dontAsk', lists }).behavior).toBe('deny');
  const read = judge('Read', [file('read', path)], { mode: 'default' }).behavior;
  expect(read).toBe(path.startsWith(P) ? 'allow' : 'ask');
});

test.each([
  [`${P}/src/my.env.ts`],
  [`${P}/.env.example`],
  [`${P}/.gitignore`],
  [`${P}/.github/workflows/ci.yml`],
  [`${P}/git/config`],
  [`${P}/.claude/worktrees/one/src/a.ts`],
])('writing %s is an ordinary edit', (path) => {
  expect(judge('Write', [file('write', path)], { mode: 'acceptEdits' }).behavior).toBe('allow');
});

test.each<[string, string | undefined]>([
  ['/', undefined],
  ['/etc', undefined],
  ['/home', undefined],
  ['/home/me', undefined],
  [P, undefined],
  ['/work', undefined],
  ['/added', undefined],
  [P, `${P}/*`],
  ['/work', '/work/pro*'],
  ['/', '/e*'],
])('removing %s (glob %s) is asked about in every mode, whatever allows it', (path, pattern) => {
  const effects = [
    command('rm -rf x'),
    file('write', path, { removes: true, tree: true, ...(pattern && { pattern }), ...operand() }),
  ];
  for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
    const lists = { allow: ['Bash', 'Bash(rm:*)', 'Edit(//**)'] };
    expect(judge('Bash', effects, { mode, lists, request: { hooks: [{ behavior: 'allow' }] } }).behavior).toBe('ask');
  }
});

test('removing a path that is not critical needs only a rule', () => {
  const some = [
    command('rm *.txt'),
    file('write', P, { removes: true, tree: true, pattern: `${P}/*.txt`, ...operand() }),
  ];
  expect(judge('Bash', some, { lists: { allow: ['Bash(rm:*)'] } }).behavior).toBe('allow');
  const modules = [
    command('rm -rf node_modules'),
    file('write', `${P}/node_modules`, { removes: true, tree: true, ...operand() }),
  ];
  expect(judge('Bash', modules, { lists: { allow: ['Bash(rm:*)'] } }).behavior).toBe('allow');
});

test('the removal of a path that cannot be determined is asked about, although rm is allowed', () => {
  const unresolved = file('write', '/', { removes: true, tree: true, unresolved: '"$DIR"/*', ...operand() });
  const decision = judge('Bash', [command('rm -rf "$DIR"/*'), unresolved], { lists: { allow: ['Bash'] } });
  expect(decision).toMatchObject({ behavior: 'ask', reason: 'it removes "$DIR"/*, which could be any file' });
});

// Each row: rules, what the call touches, the answer.
test.each<[string, RuleLists, string, Effect[], Behavior]>([
  ['deny beats ask beats allow', { allow: ['Bash'], ask: ['Bash'], deny: ['Bash'] }, 'Bash', [command('x')], 'deny'],
  ['ask beats allow', { allow: ['Bash'], ask: ['Bash(git push:*)'] }, 'Bash', [command('git push')], 'ask'],
  ['deny beats harmless', { deny: ['Bash(git log:*)'] }, 'Bash', [harmless('git log')], 'deny'],
  ['every part of a chain', { allow: ['Bash(a:*)'] }, 'Bash', [command('a'), command('b')], 'ask'], // gemini-cli #11510
  ['every part allowed', { allow: ['Bash(a:*)', 'Bash(b:*)'] }, 'Bash', [command('a'), command('b')], 'allow'],
  ['allowed beside harmless', { allow: ['Bash(a:*)'] }, 'Bash', [harmless('cd x'), command('a')], 'allow'],
  ['one part denied', { allow: ['Bash'], deny: ['Bash(rm:*)'] }, 'Bash', [command('a'), command('rm x')], 'deny'],
  [
    'deny behind a wrapper', // claude-code #25621
    { allow: ['Bash'], deny: ['Bash(rm:*)'] },
    'Bash',
    [harmless('timeout 5 rm x'), command('rm x', { wrappedBy: 0 })],
    'deny',
  ],
  [
    'deny of the wrapper',
    { allow: ['Bash'], deny: ['Bash(timeout:*)'] },
    'Bash',
    [harmless('timeout 5 a'), command('a', { wrappedBy: 0 })],
    'deny',
  ],
  [
    'a harmless wrapper needs no rule',
    { allow: ['Bash(npm test:*)'] },
    'Bash',
    [harmless('timeout 5 npm test'), command('npm test', { wrappedBy: 0 })],
    'allow',
  ],
  [
    'sudo does', // its own cover
    { allow: ['Bash(npm test:*)'] },
    'Bash',
    [command('sudo npm test'), command('npm test', { wrappedBy: 0 })],
    'ask',
  ],
  [
    'a rule for the wrapper alone', // goclaw #1204
    { allow: ['Bash(sh:*)'] },
    'Bash',
    [command('sh -c x', { argv: ['sh', '-c', 'rm x'] }), command('rm x', { wrappedBy: 0 })],
    'ask',
  ],
  [
    'an assignment that changes what runs', // V-7
    { allow: ['Bash(npm test:*)'] },
    'Bash',
    [command('npm test', { assigns: ['PATH'], assignsUnsafely: true })],
    'ask',
  ],
  ['an unknown beside an allowed command', { allow: ['Bash(a:*)'] }, 'Bash', [command('a'), unknown], 'ask'],
  ['an unknown under a rule for everything', { allow: ['Bash'] }, 'Bash', [command('a'), unknown], 'ask'], // V-1
  [
    'operands of an allowed command',
    { allow: ['Bash(cp:*)'] },
    'Bash',
    [command('cp a /tmp/b'), file('read', `${P}/a`, operand()), file('write', '/tmp/b', operand())],
    'allow',
  ],
  [
    'its redirections are not', // CVE-2026-25723
    { allow: ['Bash(npm test:*)'] },
    'Bash',
    [command('npm test'), file('write', `${P}/out`, redirection())],
    'ask',
  ],
  [
    'a redirection with a rule of its own',
    { allow: ['Bash(npm test:*)', 'Edit(/out)'] },
    'Bash',
    [command('npm test'), file('write', `${P}/out`, redirection())],
    'allow',
  ],
  [
    'a write to something unresolved',
    { allow: ['Bash(cp:*)'] },
    'Bash',
    [
      command('cp a $B', { words: ['cp', 'a', null] }),
      file('write', '/', { tree: true, unresolved: '$B', ...operand() }),
    ],
    'ask',
  ],
  [
    'Read deny binds cat', // claude-code #6699
    { allow: ['Bash'], deny: ['Read(.env)'] },
    'Bash',
    [harmless('cat .env'), file('read', `${P}/.env`, operand())],
    'deny',
  ],
  [
    'Edit deny binds an allowed command',
    { allow: ['Bash(echo:*)'], deny: ['Edit(./config/**)'] },
    'Bash',
    [harmless('echo x'), file('write', `${P}/config/a`, redirection())],
    'deny',
  ],
  ['Edit deny leaves reading free', { deny: ['Edit(./a)'] }, 'Read', [file('read', `${P}/a`)], 'allow'],
  ['Read deny denies writing', { allow: ['Edit'], deny: ['Read(./a)'] }, 'Write', [file('write', `${P}/a`)], 'deny'],
  ['Write(...) counts as Edit(...)', { deny: ['Write(docs/**)'] }, 'Edit', [file('write', `${P}/docs/a`)], 'deny'],
  ['Grep(...) counts as Read(...)', { deny: ['Grep(docs/**)'] }, 'Read', [file('read', `${P}/docs/a`)], 'deny'],
  [
    'Edit allow implies read',
    { allow: ['Edit(//tmp/x)'] },
    'Edit',
    [file('read', '/tmp/x'), file('write', '/tmp/x')],
    'allow',
  ],
  ['Read allow implies no write', { allow: ['Read(//tmp/x)'] }, 'Write', [file('write', '/tmp/x')], 'ask'],
  [
    'deny by the real name', // CVE-2026-25724
    { deny: ['Read(~/.ssh/**)'], allow: ['Read(./project/**)'] },
    'Read',
    [file('read', `${P}/project/key`, { real: '/home/me/.ssh/id_rsa' })],
    'deny',
  ],
  ['deny by the written name', { deny: ['Read(./a)'] }, 'Read', [file('read', `${P}/a`, { real: `${P}/b` })], 'deny'],
  [
    'allow by one name alone',
    { allow: ['Read(./project/**)'] },
    'Read',
    [file('read', `${P}/project/a`, { real: '/outside/a' })],
    'ask',
  ],
  [
    'each name allowed by a rule of its own',
    { allow: ['Edit(//tmp/link)', 'Edit(//tmp/target)'] },
    'Write',
    [file('write', '/tmp/link', { real: '/tmp/target' })],
    'allow',
  ],
  [
    'a link in the project to a place that is allowed',
    { allow: ['Read(//shared/**)'] },
    'Read',
    [file('read', `${P}/link`, { real: '/shared/a' })],
    'allow',
  ],
  [
    'bare Edit deny binds redirections',
    { allow: ['Bash'], deny: ['Edit'] },
    'Bash',
    [harmless('echo'), file('write', `${P}/a`, redirection())],
    'deny',
  ],
  [
    'bare Write deny leaves Edit alone',
    { allow: ['Edit'], deny: ['Write'] },
    'Edit',
    [file('write', `${P}/a`)],
    'allow',
  ],
  ['bare Read ask', { ask: ['Read'] }, 'Read', [file('read', `${P}/a`)], 'ask'],
  [
    'a tree denied at its root',
    { deny: ['Read(./secrets/**)'] },
    'Grep',
    [file('read', `${P}/secrets`, { tree: true })],
    'deny',
  ],
  [
    'a tree denied in part, for a tool',
    { deny: ['Read(./secrets/**)'] },
    'Grep',
    [file('read', P, { tree: true })],
    'allow',
  ],
  [
    'a tree to be asked about in part',
    { ask: ['Read(./secrets/**)'] },
    'Grep',
    [file('read', P, { tree: true })],
    'ask',
  ],
  [
    'a tree denied in part, for a command',
    { deny: ['Read(./secrets/**)'] },
    'Bash',
    [harmless('grep -r x .'), file('read', P, { tree: true, ...operand() })],
    'ask',
  ],
  [
    'the same, for a listing',
    { deny: ['Read(./secrets/**)'] },
    'Bash',
    [harmless('find .'), file('read', P, { tree: true, listing: true, ...operand() })],
    'allow',
  ],
  [
    'a glob that may mean a denied file',
    { deny: ['Read(./.env)'] },
    'Bash',
    [harmless('cat .e*', { words: ['cat', null] }), file('read', P, { tree: true, pattern: `${P}/.e*`, ...operand() })],
    'ask',
  ],
  [
    'a glob that cannot',
    { deny: ['Read(./.env)'] },
    'Bash',
    [
      command('cat *.ts', { argv: ['cat', '*.ts'], harmless: true }),
      file('read', P, { tree: true, pattern: `${P}/*.ts`, ...operand() }),
    ],
    'allow',
  ],
  ['a domain', { allow: ['WebFetch(domain:x.test)'] }, 'WebFetch', [fetch('https://x.test/a')], 'allow'],
  [
    'a domain in front of another',
    { allow: ['WebFetch(domain:x.test)'] },
    'WebFetch',
    [fetch('https://x.test.evil.test')],
    'ask',
  ], // CVE-2026-24052
  [
    'a user name that looks like one',
    { allow: ['WebFetch(domain:*)'] },
    'WebFetch',
    [fetch('https://x.test@evil.test')],
    'ask',
  ],
  [
    'which a deny sees through',
    { deny: ['WebFetch(domain:evil.test)'] },
    'WebFetch',
    [fetch('https://x.test@evil.test')],
    'deny',
  ],
  ['an MCP tool', { allow: ['mcp__github__get_*'] }, 'mcp__github__get_issue', [unknown], 'allow'],
  ['another of the server', { allow: ['mcp__github__get_*'] }, 'mcp__github__delete', [unknown], 'ask'],
  ['all MCP tools', { deny: ['mcp__*'] }, 'mcp__github__get_issue', [unknown], 'deny'],
  ['a similar name', { allow: ['BashOutput'] }, 'Bash', [command('x')], 'ask'],
])('%s: %j, %s %j gives %s', (_, lists, tool, effects, expected) => {
  expect(judge(tool, effects, { lists }).behavior).toBe(expected);
});

test.each<[string, string, unknown, Behavior]>([
  ['Bash(run_in_background:true)', 'Bash', { run_in_background: true }, 'deny'],
  ['Bash(run_in_background:true)', 'Bash', { run_in_background: false }, 'allow'],
  ['Bash(run_in_background:true)', 'Bash', {}, 'allow'],
  ['Agent(model:opus)', 'Task', { model: 'opus' }, 'deny'],
  ['Agent(isolation:*)', 'Task', { isolation: 'x' }, 'deny'],
  ['Agent(isolation:*)', 'Task', {}, 'allow'],
  ['Task(Explore)', 'Task', { subagent_type: 'Explore' }, 'deny'],
  ['Skill(commit)', 'Skill', { skill: 'commit', args: 'x' }, 'deny'],
  ['Skill(commit)', 'Skill', { skill: 'commits' }, 'allow'],
  ['Skill(good:*)', 'Skill', { skill: 'good:report' }, 'deny'],
  ['Skill(good:*)', 'Skill', { skill: 'good', args: 'x' }, 'deny'],
  ['Skill(good:*)', 'Skill', { skill: 'goodness' }, 'allow'],
])('the rule %s, where %s is called with %j, gives %s', (rule, tool, input, expected) => {
  expect(judge(tool, [], { lists: { deny: [rule] }, request: { input } }).behavior).toBe(expected);
});

test('a hook can make a decision stricter than the rules, never looser', () => {
  const write = [file('write', `${P}/a`)];
  const hooked = (behavior: Behavior, lists: RuleLists = {}, mode: PermissionMode = 'default') =>
    judge('Write', write, { lists, mode, request: { hooks: [{ behavior, name: 'guard', reason: 'because' }] } });
  expect(hooked('allow').behavior).toBe('allow');
  expect(hooked('allow', { deny: ['Edit(./a)'] }).behavior).toBe('deny');
  expect(hooked('allow', { ask: ['Edit(./a)'] }).behavior).toBe('ask');
  expect(hooked('ask', { allow: ['Edit'] }, 'bypassPermissions').behavior).toBe('ask');
  expect(hooked('deny', { allow: ['Edit'] }, 'bypassPermissions')).toMatchObject({
    behavior: 'deny',
    reason: 'the hook "guard" denies it: because',
  });
});

test('an untrusted folder may tighten rules, not loosen them', () => {
  const write: DecisionRequest = { tool: 'Write', input: {}, effects: [file('write', `${P}/a`)] };
  const untrusted = (lists: RuleLists) => decide(write, policy({ rules: rulesOf(lists, { trusted: false }) }));
  expect(untrusted({ allow: ['Edit'] }).behavior).toBe('ask');
  expect(untrusted({ allow: ['Edit'] }).trail).toContainEqual(
    expect.objectContaining({ basis: 'untrusted', rule: { text: 'Edit', list: 'allow', file: 'settings.json' } }),
  );
  expect(untrusted({ deny: ['Edit'] }).behavior).toBe('deny');
});

test('names the part that was added to an allowed command', () => {
  const lists = { allow: ['Bash(npm test:*)'] };
  expect(judge('Bash', [command('npm test'), harmless('ls'), command('rm x')], { lists })).toMatchObject({
    behavior: 'ask',
    reason:
      'command_injection_detected: the rule "Bash(npm test:*)" allows "npm test", but no rule covers "rm x", which comes with it',
    injection: { code: 'command_injection_detected', part: 'rm x' },
  });
  const substituted = [command('rm x'), command('npm test $(rm x)', { words: ['npm', 'test', null] })];
  const request = { input: { command: 'npm test $(rm x)' } };
  expect(judge('Bash', substituted, { lists, request }).injection?.part).toBe('rm x');
  expect(judge('Bash', [command('npm test'), harmless('ls')], { lists }).injection).toBeUndefined();
  expect(judge('Bash', [command('rm x'), command('npm test')], { lists }).injection).toBeUndefined();
});

test('says that a wrapper adds nothing, not that the wrapped command is harmless', () => {
  const wrapped = [
    harmless('timeout 9 rm x', { argv: ['timeout', '9', 'rm', 'x'] }),
    command('rm x', { wrappedBy: 0 }),
  ];
  const { trail = [] } = judge('Bash', wrapped);
  expect(trail.map(({ because }) => because)).toEqual([
    '"timeout" adds nothing to what it runs, which is judged by itself',
    'it runs the command "rm x"',
  ]);
});

test('reports what was judged, which rule matched where, and what decided', () => {
  const { rules } = parseRules(
    { allow: ['Bash(npm test:*)'], deny: ['Bash(rm:*)'] },
    { source: { file: 'settings.json' }, anchors, tools, lineOf: (list) => (list === 'deny' ? 14 : 3) },
  );
  const request = { tool: 'Bash', input: {}, effects: [command('npm test'), command('rm x'), harmless('ls')] };
  expect(decide(request, policy({ rules }))).toEqual({
    behavior: 'deny',
    confinement: 'approved',
    reason: 'the rule "Bash(rm:*)" (settings.json:14) denies "rm x"',
    trail: [
      expect.objectContaining({
        about: '"npm test"',
        effect: 0,
        behavior: 'allow',
        basis: 'allow_rule',
        decided: false,
      }),
      {
        about: '"rm x"',
        effect: 1,
        behavior: 'deny',
        because: 'the rule "Bash(rm:*)" (settings.json:14) denies "rm x"',
        basis: 'deny_rule',
        rule: { text: 'Bash(rm:*)', list: 'deny', file: 'settings.json', line: 14 },
        decided: true,
      },
      expect.objectContaining({ about: '"ls"', effect: 2, behavior: 'allow', basis: 'harmless', decided: false }),
    ],
  });
});

test('a question names a link and its target, so that the person approves the right one', () => {
  expect(judge('Write', [file('write', `${P}/notes`, { real: '/elsewhere/notes' })]).reason).toBe(
    `it writes ${P}/notes (really /elsewhere/notes), which is outside the project`,
  );
});

test('does not reveal the target of a denied name', () => {
  const decision = judge('Read', [file('read', `${P}/a`, { real: '/secret/place' })], {
    lists: { deny: ['Read(//secret/**)'] },
  });
  expect(decision.behavior).toBe('deny');
  expect(JSON.stringify(decision)).not.toContain('/secret/place');
});

test("asks a tool's own question in every mode but dontAsk", () => {
  const request = { checkAsks: 'the text holds a key' };
  expect(judge('Any', [], { mode: 'bypassPermissions', request })).toMatchObject({
    behavior: 'ask',
    reason: 'the text holds a key',
  });
  expect(judge('Any', [], { mode: 'dontAsk', request }).behavior).toBe('deny');
});

test('asks about an MCP tool that claims to read only, in plan mode too', () => {
  expect(judge('mcp__a__b', [unknown], { mode: 'plan', request: { readOnlyHint: true } }).behavior).toBe('ask');
});

const someEffects = fc.subarray<Effect>([
  file('read', `${P}/a`),
  file('write', `${P}/a`),
  file('write', `${P}/.git/config`),
  command('npm test'),
  command('rm x'),
  harmless('ls'),
  unknown,
  fetch('https://x.test'),
]);
const someRules = fc.subarray([
  'Bash(npm:*)',
  'Bash(rm:*)',
  'Edit(./a)',
  'Read(./a)',
  'Bash',
  'WebFetch(domain:x.test)',
]);
const someMode = fc.constantFrom<PermissionMode>('default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions');
const strictness: Record<Behavior, number> = { allow: 0, ask: 1, deny: 2 };

test('the order of rules and of effects has no meaning', () => {
  fc.assert(
    fc.property(someEffects, someRules, someRules, someRules, someMode, (effects, allow, ask, deny, mode) => {
      const rules = rulesOf({ allow, ask, deny });
      const one = decide({ tool: 'Bash', input: {}, effects }, policy({ rules, mode }));
      const other = decide(
        { tool: 'Bash', input: {}, effects: effects.toReversed() },
        policy({ rules: rules.toReversed(), mode }),
      );
      expect(other.behavior).toBe(one.behavior);
    }),
  );
});

test('one more rule that asks or denies never loosens, one more that allows never tightens, one more effect never loosens', () => {
  fc.assert(
    fc.property(someEffects, someRules, someRules, someMode, fc.nat(7), (effects, allow, deny, mode, extra) => {
      const answer = (some: Effect[], lists: RuleLists) =>
        strictness[
          decide({ tool: 'Bash', input: {}, effects: some }, policy({ rules: rulesOf(lists), mode })).behavior
        ];
      const plain = answer(effects, { allow });
      expect(answer(effects, { allow, deny })).toBeGreaterThanOrEqual(plain);
      expect(answer(effects, { allow, ask: deny })).toBeGreaterThanOrEqual(plain);
      expect(answer(effects, {})).toBeGreaterThanOrEqual(plain);
      expect(
        answer(
          effects.filter((_, index) => index !== extra),
          { allow, deny },
        ),
      ).toBeLessThanOrEqual(answer(effects, { allow, deny }));
    }),
  );
});

test('shows every file of a tree that is not denied, in every mode', () => {
  const rules = rulesOf({ deny: ['Read(./secrets/**)'], ask: ['Read(./notes/**)'] });
  for (const mode of ['default', 'plan', 'dontAsk', 'bypassPermissions'] as const) {
    const shown = showing(policy({ mode, rules }));
    expect([`${P}/a`, '/outside/a', `${P}/notes/a`].map(shown)).toEqual([true, true, true]);
    expect([`${P}/secrets/a`, '/home/me/.helve/trust.json'].map(shown)).toEqual([false, false]);
    expect(shown('/home/me/.helve/sessions/1/results/a')).toBe(true);
  }
});

test.each<[string, string, boolean]>([
  ['Bash', 'Bash', true],
  ['Bash(*)', 'Bash', true],
  ['Bash(rm:*)', 'Bash', false],
  ['mcp__github', 'mcp__github__get', true],
  ['Read(.env)', 'Read', false],
  ['*', 'Write', true],
])('the rule %s denies every use of %s: %s', (rule, tool, expected) => {
  expect(isDeniedOutright(tool, rulesOf({ deny: [rule] }))).toBe(expected);
  expect(isDeniedOutright(tool, rulesOf({ ask: [rule] }))).toBe(false);
});

const sandbox: PolicySandbox = {
  works: true,
  allows: true,
  excluded: ['docker'],
  network: 'off',
  mode: 'workspace',
  required: false,
};

describe('where settings allow commands in the sandbox', () => {
  const inside = (
    effects: readonly Effect[],
    { lists = {}, request = {}, ...more }: Judged & Partial<Policy> = {},
    tool = 'Bash',
  ) => decide({ tool, input: {}, effects, ...request }, policy({ sandbox, rules: rulesOf(lists), ...more }));

  test.each<[string, Effect[]]>([
    ['a command', [command('make')]],
    ['what is not known beforehand', [command('bash x'), unknown]],
    ['a write in the project', [harmless('ls'), file('write', `${P}/a`, redirection())]],
    ['a write elsewhere', [harmless('ls'), file('write', '/etc/x', redirection())]],
    ['a read elsewhere', [harmless('cat x'), file('read', '/etc/hosts', operand())]],
    ['the network', [command('curl x'), fetch('https://x.test')]],
    ['a command that needs walls', [harmless('awk x', { needsWalls: true })]],
  ])('%s needs no question, and runs in the sandbox', (_, effects) => {
    expect(judge('Bash', effects).behavior).toBe('ask');
    expect(inside(effects)).toMatchObject({ behavior: 'allow', confinement: 'sandbox' });
    expect(inside(effects, { mode: 'dontAsk' }).behavior).toBe('allow');
    expect(inside(effects, { sandbox: { ...sandbox, works: false } }).behavior).toBe('ask');
    expect(inside(effects, { sandbox: { ...sandbox, allows: false } }).behavior).toBe('ask');
    expect(inside(effects, {}, 'Other').behavior).toBe('ask');
  });

  test.each<[string, Effect[], Judged & Partial<Policy>, Behavior]>([
    ['a rule that denies the command', [command('make')], { lists: { deny: ['Bash(make:*)'] } }, 'deny'],
    ['a rule that asks about the command', [command('make')], { lists: { ask: ['Bash(make:*)'] } }, 'ask'],
    ['a rule that may mean an unknown command', [unknown], { lists: { deny: ['Bash(make:*)'] } }, 'ask'],
    [
      'a rule that denies a file',
      [command('x'), file('read', `${P}/.env`)],
      { lists: { deny: ['Read(.env)'] } },
      'deny',
    ],
    ['a hook that denies', [command('make')], { request: { hooks: [{ behavior: 'deny' }] } }, 'deny'],
    ['a hook that asks', [command('make')], { request: { hooks: [{ behavior: 'ask' }] } }, 'ask'],
    ["the tool's own question", [command('make')], { request: { checkAsks: 'is that so?' } }, 'ask'],
    ['a protected path', [command('x'), file('write', `${P}/.git/hooks/x`, operand())], {}, 'ask'],
    ['a critical path', [command('rm'), file('write', '/home/me', { removes: true, tree: true })], {}, 'ask'],
    ["Helve's own data", [command('x'), file('read', '/home/me/.helve/x')], {}, 'deny'],
    ['plan mode', [command('make')], { mode: 'plan' }, 'deny'],
    ['a command that leaves', [command('x')], { request: { input: { dangerouslyDisableSandbox: true } } }, 'ask'],
    ['a command that settings exclude', [command('docker ps')], {}, 'ask'],
  ])('%s still applies to sandboxed commands', (_, effects, more, behavior) => {
    expect(inside(effects, more).behavior).toBe(behavior);
  });

  test('the sandbox opens paths that a rule allows to be written, and no others', () => {
    const effects = [command('x'), file('write', '/data/a', operand()), file('write', '/etc/b', operand())];
    const { confinement, notOpened } = inside(effects, { lists: { allow: ['Edit(//data/**)'] } });
    expect([confinement, notOpened]).toEqual(['sandbox', [0, 2]]);
  });

  test('calls that are allowed without the sandbox are decided without it', () => {
    expect(inside([harmless('ls')], { walls: 'full' })).toMatchObject({ behavior: 'allow', confinement: 'reads' });
    expect(inside([command('make')], { lists: { allow: ['Bash(make:*)'] } })).toMatchObject({
      behavior: 'allow',
      confinement: 'approved',
    });
    expect(inside([command('make')], { mode: 'bypassPermissions' }).confinement).toBe('approved');
  });

  test('a command that needs confinement does not count as confined because another one is sandboxed', () => {
    const { confinement, trail = [] } = inside([harmless('awk x', { needsWalls: true }), command('make')], {
      walls: 'full',
    });
    expect([confinement, trail.map(({ basis }) => basis)]).toEqual(['sandbox', ['sandbox', 'sandbox']]);
  });

  test('names the sandbox as the reason', () => {
    const { reason, trail = [] } = inside([harmless('ls'), command('make')]);
    expect(reason).toBe('it runs the command "make", but in the sandbox, where settings allow commands');
    expect(trail.filter(({ decided }) => decided)).toMatchObject([{ basis: 'sandbox', behavior: 'allow' }]);
  });
});

test.each(['Read(.env)', 'Edit(MARK)', 'Bash(git push:*)'])(
  'an unknown effect is asked about if the rule %s might deny it',
  (rule) => {
    const effects = [command('sh'), unknown];
    expect(judge('Bash', effects, { lists: { deny: [rule] }, mode: 'bypassPermissions' }).behavior).toBe('ask');
    expect(judge('Bash', effects, { lists: { deny: ['WebSearch'] }, mode: 'bypassPermissions' }).behavior).toBe(
      'allow',
    );
  },
);

test('asks about the command that is not harmless, not about a harmless one that is only not confined', () => {
  const effects = [harmless('pwd', { needsWalls: true }), command('python3 a.py', { why: 'python3 can run any code' })];
  const { behavior, reason, trail } = judge('Bash', effects);
  expect(behavior).toBe('ask');
  expect(reason).toBe('it runs the command "python3 a.py"');
  expect(trail?.find(({ decided }) => decided)?.effect).toBe(1);
  expect(judge('Bash', effects.slice(0, 1)).reason).toMatch(/^it runs the command "pwd", which needs no question only/);
});
