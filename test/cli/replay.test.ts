import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleProject } from '../../src/cli/demo/sample-project.js';
import { demoCalls, demoPrompt } from '../../src/cli/demo/script.js';
import type { ScriptedTurn } from '../../src/models/scripted.js';
import { emptyFolder, type HelveRun, runHelve } from './run-helve.js';

/** A session of a script in a project, kept as any other, and what a person may do with it afterwards. */
async function recorded(
  files: Readonly<Record<string, string>>,
  turns: (root: string) => readonly ScriptedTurn[],
  args: readonly string[] = ['--permission-mode', 'bypassPermissions'],
) {
  const [root, dataFolder, elsewhere] = [await emptyFolder(), await emptyFolder(), await emptyFolder()];
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  const script = join(elsewhere, 'script.json');
  await writeFile(script, JSON.stringify({ name: 'script', turns: [...turns(root), { text: 'Done.' }] }));
  const options = { cwd: root, env: { HELVE_HOME: dataFolder } };
  const run = await runHelve(['-p', demoPrompt, '--model', `scripted/${script}`, ...args], options);
  expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' });
  const id = async (): Promise<string> =>
    (await readdir(join(dataFolder, 'sessions'))).find((name) => !name.startsWith('.')) ?? '';
  return {
    root,
    elsewhere,
    replay: (...more: string[]): Promise<HelveRun> => runHelve(['replay', 'last', ...more], options),
    write: (name: string, text: string) => writeFile(join(root, name), text),
    tree: () => treeOf(root),
    async replayById(...more: string[]): Promise<HelveRun> {
      return await runHelve(['replay', await id(), ...more], options);
    },
    /** Makes these lines of the session's file unreadable. */
    async damage(lines: RegExp): Promise<void> {
      const file = join(dataFolder, 'sessions', await id(), 'session.jsonl');
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll(lines, 'damaged'));
    },
  };
}

async function treeOf(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    await Promise.all(files.toSorted().map(async (path) => [path, await readFile(path, 'utf8')] as const)),
  );
}

const demoTurns = (['look', 'discount', 'test', 'fix', 'retest'] as const).map((step) => ({ calls: demoCalls[step] }));

const demoSession = () =>
  recorded(sampleProject, () => demoTurns, [
    '--permission-mode',
    'acceptEdits',
    '--allowed-tools',
    'Bash(node --test:*)',
  ]);

test('a replay of the demo session on the original files gives the same results, and does not change the project', async () => {
  const { replay, tree } = await demoSession();
  const before = await tree();
  // Without walls: they hide /tmp, and with it the Node of a clone that lies there.
  const { code, stdout, stderr } = await replay('--no-sandbox');
  // How many differ in their durations alone is a matter of chance.
  expect(stdout).toMatch(/All 9 results are the same( \(\d of them apart from duration\))?\.\n$/);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(await tree()).toEqual(before);
});

test('a replay on the current files differs where the session itself changed them, and says so', async () => {
  const { replay } = await demoSession();
  const { code, stdout } = await replay('--from-now');
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ Edit \S+ {2}\{"file_path":"src\/price\.js"/);
  expect(stdout).toContain(
    'The session itself changed 1 file; without --from-now it is played on the files as they were before.',
  );
});

const reading = () =>
  recorded({ 'a.txt': 'one\n', 'b.txt': 'two\nthree\n' }, (root) => [
    {
      calls: [
        { name: 'Read', input: { file_path: 'a.txt' }, id: 'read_a' },
        { name: 'Read', input: { file_path: join(root, 'b.txt') }, id: 'read_b' },
        { name: 'Bash', input: { command: `cat '${root}/a.txt' && pwd` }, id: 'where' },
      ],
    },
  ]);

test('a replay reports a changed file with its call and line, and nothing else', async () => {
  const { replay, write, root } = await reading();
  expect((await replay()).stdout).toContain('All 3 results are the same.\n');
  await write('b.txt', 'two\n3\n');
  const { code, stdout } = await replay();
  expect(code).toBe(1);
  expect(stdout).toContain(`✗ Read read_b  {"file_path":"${root}/b.txt"}\n`);
  expect(stdout).toMatch(/ {2}--- recorded\n {2}\+\+\+ now\n {2}@@ .*\n(?: {2} .*\n)* {2}-.*three\n {2}\+.*3\n/);
  expect(stdout).toContain('1 result differs, 2 the same.\n');

  const json = await replay('--json');
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    root,
    calls: 3,
    same: 2,
    alike: [],
    notPlayed: [],
    different: [
      { call: 'read_b', tool: 'Read', recorded: expect.stringContaining('three'), now: expect.stringContaining('3') },
    ],
  });
});

test('listings, git status and the working directory are the same in the copy', async () => {
  const commands = [
    'git init -q . && git status --short',
    'ls -la',
    'ls -la src',
    'pwd; cd src; pwd',
    'ls -a; find . -type f',
  ];
  const { replay } = await recorded({ 'src/a.txt': 'one\n', 'b.txt': 'two\n' }, (root) => [
    ...commands.map((command) => ({ calls: [{ name: 'Bash', input: { command } }] })),
    { calls: [{ name: 'LS', input: { path: root } }] },
    { calls: [{ name: 'Glob', input: { pattern: '**/*.txt' } }] },
    { calls: [{ name: 'Grep', input: { pattern: 'o', path: join(root, 'src'), output_mode: 'content' } }] },
  ]);
  const { stdout } = await replay();
  expect(stdout).toMatch(/\nAll 8 results are the same.*\n$/);
});

test('a replay changes nothing outside of its copy, for any calls of the session', async () => {
  const outside = await emptyFolder();
  const far = `/var/tmp/helve-replay-${process.pid}`; // not below the folder for temporary files, which is free
  const { replay, tree, root } = await recorded({ 'a.txt': 'one\n' }, (project) => [
    {
      calls: [
        { name: 'Bash', input: { command: `echo x >> '${project}/a.txt'; cat a.txt` } },
        { name: 'Write', input: { file_path: join(project, 'made/new.txt'), content: 'new\n' } },
        { name: 'Write', input: { file_path: join(far, 'x.txt'), content: 'new\n' }, id: 'outside' },
        { name: 'Bash', input: { command: `touch '${outside}/y'` } },
      ],
    },
  ]);
  await rm(far, { recursive: true });
  const before = await tree();
  expect(before[join(root, 'a.txt')]).toBe('one\nx\n');
  const { code, stdout } = await replay('--json');
  expect(await tree()).toEqual(before);
  await expect(readdir(far)).rejects.toThrow('ENOENT');
  expect(code).toBe(1);
  const { different } = JSON.parse(stdout);
  expect(different.find(({ call }: { call: string }) => call === 'outside').now).toContain(
    'a replay changes nothing outside of its copy',
  );
});

test('calls that were allowed in the session are allowed in the replay, and denied calls are denied', async () => {
  const free = await recorded({}, () => [{ calls: [{ name: 'Bash', input: { command: 'touch x; ls' } }] }]);
  const { stdout } = await free.replay('--json');
  expect(JSON.parse(stdout)).toMatchObject({ allowedAgain: [expect.any(String)] });

  const strict = await recorded({}, () => [{ calls: [{ name: 'Bash', input: { command: 'touch x' } }] }], []);
  const again = await strict.replay();
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('1 result is the same.') });
  expect(await strict.tree()).toEqual({});
});

test('--policy says which calls another policy would have decided differently, and runs nothing', async () => {
  const { replay, elsewhere, tree } = await recorded({ 'a.txt': 'one\n' }, () => [
    {
      calls: [
        { name: 'Read', input: { file_path: 'a.txt' }, id: 'read_a' },
        { name: 'Bash', input: { command: 'touch b.txt' }, id: 'touch_b' },
      ],
    },
  ]);
  const before = await tree();
  const strict = join(elsewhere, 'strict.json');
  await writeFile(strict, '{ "permissions": { "deny": ["Bash(touch:*)"] } } // no touching');
  const { code, stdout } = await replay('--policy', strict);
  expect(code).toBe(1);
  expect(stdout).toContain('Bash touch_b  {"command":"touch b.txt"}\n  then: allowed');
  expect(stdout).toMatch(/ {2}with .*strict\.json: denied: .*Bash\(touch:\*\)/);
  expect(stdout).toContain('1 of 2 calls would be decided differently (the audit log). Nothing was run.');
  expect(JSON.parse((await replay('--policy', strict, '--json')).stdout)).toMatchObject({
    calls: 2,
    fromAudit: 2,
    different: [{ call: 'touch_b', before: { decision: 'allow', from: 'audit' }, after: { decision: 'deny' } }],
  });

  const same = join(elsewhere, 'same.json');
  await writeFile(same, '{}');
  expect(await replay('--policy', same)).toMatchObject({
    code: 0,
    stdout: 'All 2 calls would be decided in the same way (the audit log). Nothing was run.\n',
  });
  expect(await tree()).toEqual(before);
});

test.each([
  ['{ "permisions": { "deny": ["Bash"] } }', '"permisions" is not a setting that helve knows'],
  ['{ "permissions": { "deney": ["Bash"] } }', '"permissions.deney" is not a setting that helve knows'],
  ['{ "permissions": { "deny": ["Bsh(npm:*)"] } }', '"Bsh(npm:*)" names a tool that does not exist'],
])('--policy refuses settings with which helve would not start: %s', async (text, sentence) => {
  const { replay, elsewhere } = await recorded({ 'a.txt': 'one\n' }, () => [
    { calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] },
  ]);
  const policy = join(elsewhere, 'policy.json');
  await writeFile(policy, text);
  const { code, stdout, stderr } = await replay('--policy', policy);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`${policy}:1:`);
  expect(stderr).toContain(sentence);
});

test('with --strict, volatile parts of results count as differences', async () => {
  const { replay } = await recorded({}, () => [
    { calls: [{ name: 'Bash', input: { command: 'echo "ok (0.$RANDOM$RANDOM ms)" | sed "s/ ms/ms/"' } }] },
  ]);
  expect((await replay()).stdout).toContain('1 result is the same (1 of them apart from duration).');
  expect((await replay('--strict')).code).toBe(1);
});

test('--keep leaves the copy, and nothing is left without it', async () => {
  const { replay } = await reading();
  const { stderr } = await replay('--keep');
  const [, copy = ''] = /the copy is kept in (.*)\n/.exec(stderr) ?? [];
  expect(await readFile(join(copy, 'a.txt'), 'utf8')).toBe('one\n');
  const left = async () => (await readdir(dirname(dirname(copy)))).filter((name) => name.startsWith('helve-replay-'));
  const before = await left();
  await replay();
  expect(await left()).toEqual(before);
});

test.each([
  [[], 2, 'Use helve replay ID'],
  [['a', 'b'], 2, 'Use helve replay ID'],
  [['missing'], 1, 'There is no session "missing"'],
  [['last'], 1, 'There is no session in'],
  [['x', '--policy', 'f', '--strict'], 2, '--policy runs nothing, so --strict does not go with it'],
])('answers replay %j with exit status %i', async (args, code, message) => {
  const run = await runHelve(['replay', ...args]);
  expect(run.stderr).toContain(message);
  expect(run.code).toBe(code);
});

/** A session as another process has left it, line by line. */
async function written(root: string, records: ReadonlyArray<Readonly<Record<string, unknown>>>) {
  const dataFolder = await emptyFolder();
  const header = { type: 'session', v: 1, id: 's1', root, created: new Date().toISOString(), model: 'm', title: 'T' };
  const lines = [header, ...records.map((record, at) => ({ at, ...record }))].map((line) => JSON.stringify(line));
  await mkdir(join(dataFolder, 'sessions', 's1'), { recursive: true });
  await writeFile(join(dataFolder, 'sessions', 's1', 'session.jsonl'), `${lines.join('\n')}\n`);
  return (...args: string[]) => runHelve(['replay', 's1', ...args], { env: { HELVE_HOME: dataFolder } });
}

const said = (id: string, name: string, input: object, content: string) => [
  { type: 'result', id, content },
  { type: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
  { type: 'user', content: [{ type: 'tool_result', tool_use_id: id }] },
];

test('calls about a background command use the id that it has in the replay', async () => {
  const replay = await written(await emptyFolder(), [
    ...said('start', 'Bash', { command: 'sleep 1000', run_in_background: true }, 'Running with ID: b0000001. Good.'),
    ...said('kill', 'KillShell', { shell_id: 'b0000001' }, 'Killed.'),
  ]);
  const { stdout } = await replay('--json');
  const { different } = JSON.parse(stdout);
  expect(different).toMatchObject([
    { call: 'start', now: expect.stringContaining('with ID: b0000001.') },
    { call: 'kill', now: expect.stringContaining('b0000001') },
  ]);
  expect(different[1].now).not.toContain('There is no background command');
});

test('a project that was moved and replaced by a symlink is copied like any other', async () => {
  const { root, replayById } = await recorded({ 'a.txt': 'one\n' }, () => [
    { calls: [{ name: 'Bash', input: { command: 'touch made; cat a.txt' } }] },
  ]);
  await rename(root, `${root}-moved`);
  await symlink(`${root}-moved`, root);
  await rm(`${root}-moved/made`);
  const { code, stdout } = await replayById('--json');
  expect(JSON.parse(stdout)).toMatchObject({ calls: 1, same: 1, tree: { entries: 2 } });
  expect(code).toBe(0);
  expect(await readdir(`${root}-moved`)).toEqual(['a.txt']);
});

test('a call of an MCP server is not replayed, since the server cannot be copied', async () => {
  const session = await recorded({}, () => [
    {
      calls: [
        { name: 'ListMcpResources', input: {} },
        { name: 'mcp__shop__order', input: { item: 'book' } },
      ],
    },
  ]);
  const { stdout } = await session.replay('--json');
  const why = 'it was sent to an MCP server, which is not part of the copy';
  const { notPlayed } = JSON.parse(stdout);
  expect(notPlayed).toMatchObject([
    { tool: 'ListMcpResources', why },
    { tool: 'mcp__shop__order', why },
  ]);
});

test('a call whose decision was not recorded is refused', async () => {
  const session = await recorded({}, () => [{ calls: [{ name: 'Bash', input: { command: 'touch x; ls' } }] }]);
  await session.damage(/^\{"type":"(?:call|result)".*$/gm);
  const { stdout } = await session.replay('--json');
  expect(JSON.parse(stdout)).toMatchObject({ calls: 1, allowedAgain: [], different: [{ tool: 'Bash' }] });
});

test('a call that was running when the program ended is not replayed, and is reported', async () => {
  const root = await emptyFolder();
  const replay = await written(root, [{ type: 'call', id: 'c1', tool: 'Bash', input: { command: 'touch x' } }]);
  const { code, stdout } = await replay();
  expect(code).toBe(0);
  expect(stdout).toContain('Not played: Bash c1 (interrupted in the session).\n');
  expect(await readdir(root)).toEqual([]);
});

test('a session whose project was removed cannot be replayed, but --policy can judge it', async () => {
  const root = join(await emptyFolder(), 'gone');
  const replay = await written(root, said('c1', 'Read', { file_path: 'a.txt' }, '1\thello'));
  expect(await replay()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`${root}, no longer exists`),
  });
  const policy = join(await emptyFolder(), 'policy.json');
  await writeFile(policy, '{"permissions":{"deny":["Read(a.txt)"]}}');
  const { code, stdout } = await replay('--policy', policy);
  expect(code).toBe(1);
  expect(stdout).toContain(
    'Note: There is no audit log, so the current settings are used instead of the earlier ones.',
  );
  expect(stdout).toContain(
    '1 of 1 call would be decided differently (0 from the audit log, the rest by current settings)',
  );
});

test('a session without calls says so', async () => {
  const replay = await written(await emptyFolder(), [{ type: 'user', content: [{ type: 'text', text: 'hello' }] }]);
  expect(await replay()).toMatchObject({
    code: 0,
    stdout: 'The session made no calls, so there is nothing to play.\n',
  });
});
