// What path rules mean, through the whole path of a call: each row is rules, calls and the answers that they must get.
import { mkdir, symlink } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Behavior } from '../../src/contract/permission.js';
import { permissionModes } from '../../src/contract/permission.js';
import type { RuleLists } from '../../src/permissions/rule.js';
import { type TestProject, temporaryProject } from '../../src/testing/temporary-project.js';
import { judge } from './judge.js';

let place: TestProject;
const files = [
  ...[
    'a.txt',
    'src/a.ts',
    'src/b.ts',
    'src/deep/er/c.ts',
    'lib/src/d.ts',
    'secrets/key',
    'secrets/a/b.txt',
    'secrets.txt',
  ],
  ...[
    '.env',
    '.env.local',
    'sub/.env',
    'docs/a.md',
    'docs2/a.md',
    'etc/x',
    'a b/c d.txt',
    'br[a]cket.txt',
    'star*.txt',
  ],
  ...[
    '-dash.txt',
    '#hash.txt',
    '!bang.txt',
    'new\nline.txt',
    'caf\u00e9.txt',
    'back\\slash.txt',
    'file1.txt',
    'file12.txt',
  ],
];

beforeAll(async () => {
  place = await temporaryProject(Object.fromEntries(files.map((name) => [name, 'SECRET\n'])));
  await place.write('../outside/secret.txt', 'SECRET\n');
  await place.write('../home/.ssh/id_rsa', 'SECRET\n');
  await place.write('../home/notes.txt', 'SECRET\n');
  await place.write('../project-evil/x.txt', 'SECRET\n');
  await mkdir(place.path('links'));
  await symlink(place.path('.env'), place.path('links/env'));
  await symlink(place.path('secrets'), place.path('links/folder'));
  await symlink(place.path('../outside'), place.path('links/out'));
  await symlink(place.path('src/a.ts'), place.path('../outside/back.ts'));
  await symlink('loop', place.path('links/loop'));
});

afterAll(async () => {
  await place.remove();
});

type Judged = Parameters<typeof judge> extends [unknown, ...infer Call] ? Call : never;
const decisionOn = (...call: Judged) => judge(place, ...call);

type Row = [rule: string, denied: readonly string[], free: readonly string[]];

const rows: Row[] = [
  // Anchors.
  [
    'Read(./secrets/**)',
    [
      'secrets/key',
      'secrets/a/b.txt',
      'secrets/new',
      './secrets/./key',
      'secrets//key',
      '{ROOT}/secrets/key',
      'src/../secrets/key',
      'links/folder/key',
      'links/folder/a/b.txt',
      'links/folder/new',
    ],
    ['secrets.txt', 'src/a.ts', 'a.txt'],
  ],
  ['Read(secrets/**)', ['secrets/key', 'links/folder/key'], ['secrets.txt']],
  ['Read(secrets/)', ['secrets/key', 'secrets/a/b.txt', 'links/folder/key'], ['secrets.txt']],
  ['Read(secrets)', ['secrets/key', 'secrets/a/b.txt', 'links/folder/a/b.txt'], ['secrets.txt', 'docs/a.md']],
  ['Read(/secrets)', ['secrets/key', 'links/folder/key'], ['secrets.txt']],
  ['Read(/{ROOT}/secrets/**)', ['secrets/key', 'links/folder/key'], ['secrets.txt', 'a.txt']],
  ['Read(/etc/**)', ['etc/x'], ['a.txt']],
  ['Read(.env)', ['.env', 'sub/.env', 'links/env', 'links/../.env', 'sub/../.env'], ['.env.local', 'a.txt']],
  ['Read(./.env)', ['.env', 'links/env'], ['.env.local']],
  ['Read(/.env)', ['.env', 'links/env'], ['sub/.env', '.env.local']],
  ['Read(**/.env)', ['.env', 'sub/.env', 'links/env'], ['.env.local']],
  ['Read(.env*)', ['.env', '.env.local', 'sub/.env', 'links/env'], ['a.txt']],
  ['Read(links/env)', ['links/env', '.env'], ['a.txt', 'sub/.env']],
  ['Read(links/**)', ['links/env', 'links/folder/key'], ['a.txt']],
  ['Read(links)', ['links/env', 'links/folder/key'], ['a.txt']],
  // Wildcards.
  ['Read(src/**/*.ts)', ['src/a.ts', 'src/deep/er/c.ts', 'src/new.ts'], ['lib/src/d.ts', 'a.txt']],
  ['Read(src/*.ts)', ['src/a.ts', 'src/b.ts'], ['src/deep/er/c.ts', 'lib/src/d.ts']],
  ['Read(src/**)', ['src/a.ts', 'src/deep/er/c.ts', 'lib/src/d.ts'], ['a.txt']],
  ['Read(./src/**)', ['src/a.ts', 'src/deep/er/c.ts'], ['lib/src/d.ts']],
  ['Read(*.ts)', ['src/a.ts', 'lib/src/d.ts', 'src/deep/er/c.ts'], ['a.txt', 'docs/a.md']],
  ['Read(file?.txt)', ['file1.txt'], ['file12.txt', 'a.txt']],
  ['Read(file[0-9].txt)', ['file1.txt'], ['file12.txt']],
  ['Read(file[!a-z].txt)', ['file1.txt'], ['file12.txt']],
  ['Read(file[^a-z].txt)', ['file1.txt'], ['file12.txt']],
  ['Read(file*)', ['file1.txt', 'file12.txt'], ['a.txt']],
  ['Read(doc?/**)', ['docs/a.md'], ['docs2/a.md']],
  ['Read(**/er/**)', ['src/deep/er/c.ts'], ['src/a.ts']],
  ['Read(**/deep)', ['src/deep/er/c.ts'], ['src/a.ts']],
  ['Read(src/../secrets/**)', ['secrets/key'], ['src/a.ts']],
  ['Read(.//secrets//**)', ['secrets/key'], ['secrets.txt']],
  ['Read(docs)', ['docs/a.md'], ['docs2/a.md']],
  // Names that are not simple.
  ['Read(a b/**)', ['a b/c d.txt'], ['a.txt']],
  ['Read(c d.txt)', ['a b/c d.txt'], ['a.txt']],
  ['Read(br\\[a\\]cket.txt)', ['br[a]cket.txt'], ['a.txt']],
  ['Read(br*)', ['br[a]cket.txt'], ['a.txt']],
  ['Read(star\\*.txt)', ['star*.txt'], ['a.txt']],
  ['Read(-dash.txt)', ['-dash.txt'], ['a.txt']],
  ['Read(\\#hash.txt)', ['#hash.txt'], ['a.txt']],
  ['Read(#hash.txt)', ['#hash.txt'], ['a.txt']],
  ['Read(\\!bang.txt)', ['!bang.txt'], ['a.txt']],
  ['Read(new*)', ['new\nline.txt'], ['a.txt']],
  ['Read(caf\u00e9.txt)', ['caf\u00e9.txt'], ['a.txt']],
  ['Read(caf?.txt)', ['caf\u00e9.txt'], ['a.txt']],
  ['Read(back\\\\slash.txt)', ['back\\slash.txt'], ['a.txt']],
  // Everything.
  ['Read', ['a.txt', 'src/a.ts', 'links/env'], []],
  ['Read(*)', ['a.txt', 'src/deep/er/c.ts'], []],
  ['Read(**)', ['a.txt', 'src/deep/er/c.ts', 'links/env'], []],
  ['Read(./**)', ['a.txt', 'src/deep/er/c.ts'], []],
  ['Read(.)', ['a.txt', 'src/deep/er/c.ts'], []],
  ['Read(/)', ['a.txt', 'src/a.ts'], []],
  ['Read(//**)', ['a.txt', 'src/a.ts'], []],
  ['Read(/**)', ['a.txt', 'src/a.ts'], []],
  // Other names for the same rule.
  ['View(secrets/**)', ['secrets/key'], ['a.txt']],
  ['read(secrets/**)', ['secrets/key'], ['a.txt']],
  ['Grep(secrets/**)', ['secrets/key'], ['a.txt']],
  ['Glob(secrets/**)', ['secrets/key'], ['a.txt']],
  ['Read(file_path:secrets/**)', ['secrets/key'], ['a.txt']],
  [' Read( secrets/** ) ', ['secrets/key'], ['a.txt']],
];

/** The ways to read a file, each with what it takes for a refusal. */
const readers: ReadonlyArray<[tool: string, input: (path: string) => Record<string, unknown>]> = [
  ['Read', (file_path) => ({ file_path })],
  ['Read', (path) => ({ path })],
  ['Grep', (path) => ({ pattern: 'S', path, output_mode: 'content' })],
  ['Edit', (file_path) => ({ file_path, old_string: 'S', new_string: 'T' })],
  ['Write', (file_path) => ({ file_path, content: 'x' })],
  ['MultiEdit', (file_path) => ({ file_path, edits: [{ old_string: 'S', new_string: 'T' }] })],
  ['NotebookEdit', (notebook_path) => ({ notebook_path, new_source: 'x', cell_id: 'a' })],
  ['Bash', (path) => ({ command: `cat -- ${quoted(path)}` })],
  ['Bash', (path) => ({ command: `echo x > ${quoted(path)}` })],
  ['Bash', (path) => ({ command: `head -n1 < ${quoted(path)}` })],
];

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;

test.each(rows)('%s applies to every tool and command, and nothing else', async (rule, denied, free) => {
  for (const path of denied) {
    for (const mode of ['default', 'bypassPermissions'] as const) {
      for (const [tool, input] of mode === 'default' ? readers : readers.slice(0, 1)) {
        const { answer, text } = await decisionOn(tool, input(path), { deny: [rule] }, mode);
        expect([tool, input(path), answer], text).toEqual([tool, input(path), 'deny']);
        expect(text).not.toContain('SECRET');
      }
    }
  }
  for (const path of free) {
    const { answer, text } = await decisionOn('Read', { file_path: path }, { deny: [rule] });
    expect([path, answer], text).toEqual([path, 'allow']);
    expect((await decisionOn('Write', { file_path: path, content: 'x' }, { deny: [rule] })).answer).toBe('ask');
  }
});

test.each<[rule: string, allowed: readonly string[], asked: readonly string[]]>([
  ['Edit(/docs/**)', ['docs/a.md', 'docs/new/x.md'], ['docs2/a.md', 'a.txt', 'docs/../a.txt']],
  ['Edit(docs/**)', ['docs/a.md'], ['docs2/a.md', 'lib/docs/a.md']],
  ['Edit(src/**)', ['src/a.ts', 'src/deep/er/c.ts'], ['lib/src/d.ts', 'a.txt']],
  ['Edit(*.ts)', ['src/a.ts', 'lib/src/d.ts'], ['a.txt', 'links/env']],
  ['Edit(links/**)', [], ['links/env', 'links/folder/key', 'links/out/secret.txt', 'links/out/new.txt']],
  ['Edit(//{UP}/outside/**)', [], ['links/out/new.txt', '../project-evil/x.txt']],
  [
    'Edit(/{UP}/outside/**)',
    ['../outside/secret.txt', '{UP}/outside/new.txt'],
    ['links/out/new.txt', '../outside/back.ts', '../project-evil/x.txt'],
  ],
  ['Edit(~/notes.txt)', ['{UP}/home/notes.txt'], ['{UP}/home/other.txt', 'notes.txt']],
  ['Write(docs/**)', ['docs/a.md'], ['a.txt']],
  ['MultiEdit(docs/**)', ['docs/a.md'], ['a.txt']],
  [
    'Edit',
    ['a.txt', 'src/new.ts'],
    ['.git/config', '.env', '.helve/settings.json', '.claude/settings.json', '.mcp.json'],
  ],
  ['Edit(**)', ['a.txt', 'src/new.ts'], ['.git/config', 'sub/.env', '.vscode/tasks.json', '../outside/new.txt']],
  ['Read(docs/**)', [], ['docs/a.md']],
])('%s as an allow rule covers its path, and no protected one', async (rule, allowed, asked) => {
  for (const file_path of allowed) {
    const { answer, text } = await decisionOn('Write', { file_path, content: '' }, { allow: [rule] }, 'dontAsk');
    expect([file_path, answer], text).toEqual([file_path, 'allow']);
  }
  for (const file_path of asked) {
    const { answer, text } = await decisionOn('Write', { file_path, content: '' }, { allow: [rule] });
    expect([file_path, answer], text).toEqual([file_path, 'ask']);
  }
});

const everyTree: ReadonlyArray<[tool: string, input: Record<string, unknown>]> = [
  ['Grep', { pattern: 'SECRET', output_mode: 'content' }],
  ['Grep', { pattern: 'SECRET', output_mode: 'files_with_matches' }],
  ['Grep', { pattern: 'SECRET', path: '{ROOT}', output_mode: 'count' }],
  ['Glob', { pattern: '**/*' }],
  ['LS', { path: '{ROOT}' }],
];

test.each(everyTree)('%s %j omits files that may not be read', async (tool, input) => {
  const { answer, text } = await decisionOn(tool, input, { deny: ['Read(secrets/**)', 'Read(.env)', 'Read(*.ts)'] });
  expect(answer).toBe('allow');
  expect(text).toContain('a.txt');
  expect(text).not.toMatch(/secrets\/(key|a)|\bb\.txt|\.env\b(?!\.)|[a-d]\.ts/);
});

test.each([
  ['cat secrets/*', 'not-allow'],
  ['cat *', 'allow-or-ask'],
  ['grep -r SECRET .', 'not-allow'],
  ['tar cf - .', 'not-allow'],
  ['cat secret*/key', 'not-allow'],
  ['cat "sec""rets"/key', 'deny'],
  ["cat $'sec\\x72ets/key'", 'deny'],
  ['cat {secrets,docs}/key', 'not-allow'],
  ['cd secrets && cat key', 'deny'],
  ['cd secrets; cat ./key', 'deny'],
  ['(cd secrets; cat key)', 'deny'],
  ['F=secrets/key; cat $F', 'not-allow'],
  ['cat < secrets/key', 'deny'],
  ['cat <(cat secrets/key)', 'deny'],
  ['echo "$(<secrets/key)"', 'deny'],
  ['while read l; do echo $l; done < secrets/key', 'deny'],
  ['cp secrets/key /tmp/x', 'deny'],
  ['ln -s secrets/key l', 'deny'],
  ['mv secrets x', 'not-allow'],
  ['timeout 5 cat secrets/key', 'deny'],
  ['env cat secrets/key', 'deny'],
  ['sh -c "cat secrets/key"', 'deny'],
  ['xargs cat <<< secrets/key', 'not-allow'],
  ['find . -name key -exec cat {} +', 'not-allow'],
  ['git diff --no-index /dev/null secrets/key', 'not-allow'],
  ['diff secrets/key a.txt', 'deny'],
  ['sort secrets/key', 'deny'],
  ['sed -n p secrets/key', 'deny'],
  ['awk 1 secrets/key', 'deny'],
  ['rg SECRET', 'not-allow'],
  ['cat links/folder/key', 'deny'],
  ['cat {ROOT}/secrets/key', 'deny'],
  ['cat ~+/secrets/key', 'not-allow'],
  ['cat secrets/../secrets/key', 'deny'],
  ['cat docs/a.md', 'allow'],
  ['ls secrets.txt', 'allow'],
  ['head a.txt', 'allow'],
])('Read(secrets/**) denied, Bash: %s → %s', async (command, expected) => {
  const { answer, text } = await decisionOn('Bash', { command }, { deny: ['Read(secrets/**)'] });
  const accepted: Record<string, Behavior[]> = { 'not-allow': ['ask', 'deny'], 'allow-or-ask': ['allow', 'ask'] };
  expect(accepted[expected] ?? [expected], text).toContain(answer);
});

const guarded = [
  ...[
    '.git/config',
    '.git',
    'sub/.git/hooks/x',
    '.GIT/config',
    '.Git/hooks/pre-commit',
    '.helve/settings.json',
    '.claude/settings.local.json',
  ],
  ...[
    '.vscode/tasks.json',
    '.husky/pre-commit',
    '.env',
    'sub/.env',
    '.env.production',
    '.mcp.json',
    '.npmrc',
    '.envrc',
    '.bashrc',
  ],
  ...[
    'links/env',
    'node_modules/x/index.js',
    '{UP}/home/.ssh/authorized_keys',
    '{UP}/home/.bashrc',
    '.g\u200cit/config',
    '.idea/x',
    '.gitmodules',
  ],
];

test.each(guarded)('%s is never written without a question, in any mode, by any rule or command', async (path) => {
  for (const mode of permissionModes) {
    for (const allow of [[], ['Edit', 'Write', 'Bash', 'Edit(**)', 'Edit(//**)']]) {
      for (const [tool, input] of readers.filter(([name]) => name !== 'Read' && name !== 'Grep')) {
        if (tool === 'Bash' && !String(input('')['command']).startsWith('echo')) continue;
        const { answer } = await decisionOn(tool, input(path), { allow }, mode);
        expect([tool, mode, answer === 'allow']).toEqual([tool, mode, false]);
      }
    }
  }
});

test.each([
  ...[
    'rm -rf /',
    'rm -rf ~',
    'rm -rf .',
    'rm -rf ..',
    'rm -rf {ROOT}',
    'rm -rf {UP}',
    'rm -rf /usr',
    'rm -rf $X/*',
    'rm -rf "$X"/',
  ],
  ...[
    'rm -rf *',
    'rm -rf ./*',
    'rm -rf {ROOT}/*',
    'rm -rf ~/*',
    'rmdir /tmp',
    'sudo rm -rf /',
    'echo $(rm -rf ~)',
    'cd / && rm -rf *',
  ],
])('%s is asked about in every mode, whatever is allowed', async (command) => {
  for (const mode of permissionModes) {
    const { answer } = await decisionOn('Bash', { command }, { allow: ['Bash', 'Edit', 'Bash(rm:*)'] }, mode);
    expect([mode, answer === 'allow']).toEqual([mode, false]);
  }
});

test('the strictest answer wins: one more rule that denies or asks never loosens, and the order of rules has no meaning', async () => {
  const strictness = { allow: 0, ask: 1, deny: 2 };
  const rule = fc.constantFrom(
    ...[
      'Read',
      'Edit',
      'Write',
      'Read(src/**)',
      'Edit(src/**)',
      'Edit(*.ts)',
      'Read(.env)',
      'Edit(links/**)',
      'Read(/{UP}/**)',
      'Read(~/**)',
      'Bash',
      'Write(docs/**)',
    ],
  );
  const some = fc.uniqueArray(rule, { maxLength: 4 });
  const lists = fc.record({ allow: some, ask: some, deny: some });
  const path = fc.constantFrom(
    'a.txt',
    'src/a.ts',
    '.env',
    'links/env',
    'links/out/secret.txt',
    '../outside/back.ts',
    'docs/new.md',
    '{UP}/home/notes.txt',
  );
  const way = fc.constantFrom(...readers);
  await fc.assert(
    fc.asyncProperty(
      lists,
      path,
      way,
      fc.constantFrom(...permissionModes),
      rule,
      async (given, name, [tool, input], mode, added) => {
        const judge = async (changed: RuleLists) =>
          strictness[(await decisionOn(tool, input(name), changed, mode)).answer];
        const before = await judge(given);
        expect(await judge({ ...given, deny: [...given.deny, added] })).toBeGreaterThanOrEqual(before);
        expect(await judge({ ...given, ask: [...given.ask, added] })).toBeGreaterThanOrEqual(before);
        expect(await judge({ ...given, allow: [...given.allow, added] })).toBeLessThanOrEqual(before);
        const { allow, ask, deny } = given;
        expect(await judge({ allow: allow.toReversed(), ask: ask.toReversed(), deny: deny.toReversed() })).toBe(before);
      },
    ),
    { numRuns: 60 },
  );
});
