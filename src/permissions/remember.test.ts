import { expect, test } from 'vitest';
import type { CommandEffect, Effect, FileEffect } from '../contract/effect.js';
import type { Risk } from '../contract/permission.js';
import { toolTable } from '../tools/index.js';
import { decide } from './engine.js';
import { parseRules } from './parse-rule.js';
import type { Policy } from './policy.js';
import { suggestRules, whyNoRule } from './remember.js';

const tools = toolTable();

const anchors = { source: ['/p'], project: ['/p'], home: ['/home/me'] };
const style = { foldsCase: false, windows: false };

const suggested = (tool: string, effects: Effect[], allow: string[] = []): string[] =>
  offered(tool, effects, allow).rules;

function offered(
  tool: string,
  effects: Effect[],
  allow: string[] = [],
  risks: readonly Risk[] = [],
): { rules: string[]; why: string | undefined } {
  const { rules } = parseRules({ allow }, { source: { file: 'settings.json' }, anchors, tools });
  const policy: Policy = {
    mode: 'default',
    workspace: ['/p'],
    resultsFolder: '/r',
    dataFolders: [],
    tools,
    rules,
    style,
  };
  const request = { tool, input: {}, effects };
  const decision = decide(request, policy);
  const context = { project: ['/p', '/real/p'], home: ['/home/me'], tools, risks };
  return { rules: suggestRules(request, decision, context), why: whyNoRule(request, decision, context) };
}

const command = (text: string, more: Partial<CommandEffect> = {}): CommandEffect => ({
  kind: 'command',
  text,
  argv: text.split(' '),
  harmless: false,
  ...more,
});

test.each<[string, string[]]>([
  ['npm run dev --port 3', ['Bash(npm run dev:*)']],
  ['npm test', ['Bash(npm test:*)']],
  ['git push origin main', ['Bash(git push origin main)']],
  ['git push --dry-run origin master', ['Bash(git push --dry-run origin master)']],
  ['npm publish --dry-run', ['Bash(npm publish --dry-run)']],
  ['npm publi', ['Bash(npm publi)']],
  ['cargo publish --dry-run', ['Bash(cargo publish --dry-run)']],
  ['cargo +nightly publish', ['Bash(cargo +nightly publish)']],
  ['cargo +nightly build', ['Bash(cargo +nightly build:*)']],
  ['git subtree add x', ['Bash(git subtree add x)']],
  ['git grep -Oless x', ['Bash(git grep -Oless x)']],
  ['git rebase main', ['Bash(git rebase main)']],
  ['git stash drop', ['Bash(git stash drop)']],
  ['git stash pop', ['Bash(git stash pop:*)']],
  ['git commit -m x', ['Bash(git commit:*)']],
  ['kubectl get pods', ['Bash(kubectl get pods)']],
  ['kubectl logs x', ['Bash(kubectl logs:*)']],
  ['docker build .', ['Bash(docker build .)']],
  ['docker exec db ls', ['Bash(docker exec db ls)']],
  ['uv run pytest', ['Bash(uv run pytest)']],
  ['poetry run pytest', ['Bash(poetry run pytest:*)']],
  ['poetry run twine check', ['Bash(poetry run twine check)']],
  ['mvn test', ['Bash(mvn test)']],
  ['gh pr view 3', ['Bash(gh pr view:*)']],
  ['gh api repos/a/b', ['Bash(gh api repos/a/b)']],
  ['git -C /x push', ['Bash(git -C /x push)']],
  ['docker compose up -d', ['Bash(docker compose up:*)']],
  ['pytest -q', ['Bash(pytest:*)']],
  ['frobnicate --all', ['Bash(frobnicate --all)']],
  ['npm', ['Bash(npm)']],
  ['rm -rf build', []],
  ['sudo make', []],
  ['python3 x.py', ['Bash(python3 x.py)']],
  ['python3 -m pytest -q', ['Bash(python3 -m pytest -q)']],
  ['python3 -c 1', []],
  ['python3', []],
  ['python3 -', []],
  ['node --test', ['Bash(node --test)']],
  ['node --import ./x.js y.js', []],
  ['perl -ne 1', []],
  ['deno run https://x', []],
  ['node -e 1', []],
  ['bash run.sh', ['Bash(bash run.sh)']],
  ['bash -c ls', []],
  ['./run.sh', ['Bash(./run.sh)']],
  ['scripts/check.sh --all', ['Bash(scripts/check.sh --all)']],
  ['../run.sh', []],
  ['/tmp/x', []],
  ['curl https://x', []],
  ['xargs rm', []],
])('"%s" would be remembered as %j', (text, expected) => {
  expect(suggested('Bash', [command(text)])).toEqual(expected);
});

test('names a file of the home folder below ~', () => {
  const path = '/home/me/.ssh/config';
  expect(suggested('Read', [{ kind: 'file', access: 'read', path, real: path }])).toEqual(['Read(~/.ssh/config)']);
});

test('offers one rule for each part that needs it, and none for the others', () => {
  const parts = [command('npm test'), { ...command('ls'), harmless: true }, command('make all'), command('npm test')];
  expect(suggested('Bash', parts)).toEqual(['Bash(npm test:*)', 'Bash(make all:*)']);
  expect(suggested('Bash', parts, ['Bash(make:*)'])).toEqual(['Bash(npm test:*)']);
});

test('offers nothing if a part would still need a question', () => {
  expect(suggested('Bash', [command('npm test'), { kind: 'unknown', why: 'x' }])).toEqual([]);
  expect(suggested('Bash', [command('npm test'), command('rm x')])).toEqual([]);
  expect(suggested('Write', [{ kind: 'file', access: 'write', path: '/p/.git/x', real: '/p/.git/x' }])).toEqual([]);
  expect(suggested('Bash', [command('npm test', { assigns: ['PATH'], assignsUnsafely: true })])).toEqual([]);
  expect(
    suggested(
      'Bash',
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => command(`make ${name}`)),
    ),
  ).toEqual([]);
});

test('offers nothing that could not be shown in full', () => {
  const long = `frobnicate ${'x'.repeat(300)}`;
  expect(suggested('Bash', [command(long)])).toEqual([]);
  expect(suggested('Bash', [command('frobnicate a\u202eb')])).toEqual([]);
  expect(suggested('Bash', [command("frobnicate 'a\nb'", { argv: ['frobnicate', 'a\nb'] })])).toEqual([]);
});

test('names files exactly, a link with its target, with wildcards escaped', () => {
  const link: Effect = { kind: 'file', access: 'write', path: '/p/a*[1].txt', real: '/else/b?' };
  expect(suggested('Write', [link])).toEqual(['Edit(./a\\*\\[1\\].txt)', 'Edit(//else/b\\?)']);
});

test('names files of the project from there, and others in full', () => {
  const written = (path: string, real = path): Effect => ({ kind: 'file', access: 'write', path, real });
  expect(suggested('Write', [written('/p/src/a.ts', '/real/p/src/a.ts')])).toEqual(['Edit(./src/a.ts)']);
  expect(suggested('Write', [written('/p2/a.ts')])).toEqual(['Edit(//p2/a.ts)']);
});

test('the remembered rules allow the same call the next time', () => {
  const calls: Array<[string, Effect[]]> = [
    ['Bash', [command('npm run dev --port 3'), command('frobnicate *'), command('make')]],
    ['Write', [{ kind: 'file', access: 'write', path: '/p/a*', real: '/q/!x' }]],
    [
      'Bash',
      [
        command('make all'),
        { kind: 'file', access: 'write', path: '/p/o', real: '/p/o', by: { command: 0, as: 'redirection' } },
      ],
    ],
    ['Read', [{ kind: 'file', access: 'read', path: '/etc/hosts', real: '/etc/hosts' }]],
    ['WebFetch', [{ kind: 'network', url: 'https://docs.x.test/a' }]],
    ['mcp__a__b', [{ kind: 'unknown', why: 'x' }]],
  ];
  for (const [tool, effects] of calls) {
    const rules = suggested(tool, effects);
    expect(rules).not.toEqual([]);
    const parsed = parseRules({ allow: rules }, { source: { file: 'settings.json' }, anchors, tools });
    expect(parsed.problems).toEqual([]);
    const policy: Policy = {
      mode: 'default',
      workspace: ['/p'],
      resultsFolder: '/r',
      dataFolders: [],
      tools,
      rules: parsed.rules,
      style,
    };
    expect(decide({ tool, input: {}, effects }, policy).behavior).toBe('allow');
  }
});

test.each<[string, Partial<FileEffect>, string]>([
  [
    'a file from a variable',
    { path: '/', tree: true, unresolved: '"$F"' },
    'no rule can cover files that are not known before it runs',
  ],
  [
    'the root of the file system',
    { path: '/', tree: true },
    'a rule for the root of the file system would cover everything in it',
  ],
  [
    'a link to the root of the file system',
    { path: '/p/link', real: '/', tree: true },
    'a rule for the root of the file system would cover everything in it',
  ],
  ['the home folder', { path: '/home/me', tree: true }, 'a rule for your home folder would cover everything in it'],
])('offers no rule for %s, and says why', (_, file, why) => {
  const path = file.path ?? '/';
  for (const access of ['read', 'write'] as const) {
    const effect: FileEffect = { kind: 'file', real: path, ...file, path, access, by: { command: 0, as: 'operand' } };
    expect(offered('Bash', [{ ...command('cat'), harmless: true }, effect])).toEqual({ rules: [], why });
  }
});

const risk = (more: Partial<Risk>): Risk => ({
  kind: 'deletes',
  level: 'notable',
  undoable: true,
  text: 'x',
  effects: [0],
  ...more,
});

test.each<[string, Partial<Risk>, string]>([
  ['git push --force origin main', { kind: 'rewrites_history', level: 'high', undoable: false }, "can't be undone"],
  ['git push', { kind: 'publishes', level: 'high', undoable: false }, 'publishes or pushes'],
  ['make deploy', { kind: 'publishes', undoable: false }, 'publishes or pushes'],
  ['git clean -fd', { undoable: 'perhaps' }, 'undo may not restore'],
  ['docker rm x', { undoable: false }, 'undo may not restore'],
  ['mv a ../b', { kind: 'writes_outside', level: 'high', undoable: false }, 'a command writes outside the project'],
  ['curl x.sh | sh', { kind: 'downloaded_code', level: 'high', undoable: false }, 'runs code that it downloads'],
  ['rm -rf dist', { undoable: true }, 'deletes files'],
])('offers no rule for "%s", and says why', (text, more, why) => {
  expect(offered('Bash', [command(text)], [], [risk(more)])).toEqual({
    rules: [],
    why: `no rule is offered for what ${why}`,
  });
});

test('a rule that a person wrote for a removal allows no removal elsewhere', () => {
  const removal = (path: string): Effect[] => [
    command('rm -rf dist'),
    { kind: 'file', access: 'write', path, real: path, tree: true, removes: true, by: { command: 0, as: 'operand' } },
  ];
  const undone = risk({ part: 'rm -rf dist' });
  expect(offered('Bash', removal('/p/dist'), ['Bash(rm -rf dist)'], [undone]).rules).toEqual([]);
  expect(offered('Bash', removal('/home/me/dist'), ['Bash(rm -rf dist)']).rules).toEqual(['Edit(~/dist)']);
});

test.each<[string, Partial<FileEffect>]>([
  ['a folder with keys', { path: '/home/me/.ssh', tree: true }],
  ['a list of a folder with keys', { path: '/home/me/.aws', listing: true }],
  ['a folder above keys', { path: '/home/me/.config', tree: true }],
  ['public keys in a folder with others', { path: '/home/me/.ssh', tree: true, pattern: '/home/me/.ssh/*.pub' }],
])('offers no rule for %s, since it would cover the keys', (_, file) => {
  const path = file.path ?? '/';
  const effect: FileEffect = { kind: 'file', access: 'read', real: path, ...file, path };
  expect(offered('Read', [effect])).toEqual({
    rules: [],
    why: `a rule for ${path} would cover the keys and passwords in it`,
  });
});
