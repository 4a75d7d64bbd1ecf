import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, jsonLines, runHelve } from './run-helve.js';

async function auditedProject() {
  const [cwd, dataFolder] = [await emptyFolder(), await emptyFolder()];
  await writeFile(join(cwd, 'a.txt'), 'hello\n');
  const options = { cwd, env: { HELVE_HOME: dataFolder } };
  const calls = [
    { tool: 'Read', input: { file_path: 'a.txt' } },
    { tool: 'Bash', input: { command: 'rm a.txt' } },
  ];
  const input = calls.map((call) => `${JSON.stringify(call)}\n`).join('');
  await runHelve(['call', '--stdin'], { ...options, input });
  const id = (await readdir(join(dataFolder, 'sessions'))).find((name) => !name.startsWith('.')) ?? '';
  const log = join(dataFolder, 'sessions', id, 'audit.jsonl');
  return { id, log, options, run: (...args: string[]) => runHelve(['audit', ...args], options) };
}

test('lists the sessions of this folder, and shows what was called, decided and done', async () => {
  const { id, run } = await auditedProject();
  const listed = await run('list');
  expect(listed.stdout).toMatch(
    new RegExp(`^${id.slice(0, 8)}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  2 calls, 1 denied  \\(no title\\)\n$`),
  );
  const shown = await run('show', id.slice(0, 8), '--json');
  expect(shown.code).toBe(0);
  expect(jsonLines(shown.stdout)).toMatchObject([
    { n: 1, type: 'begin' },
    { type: 'call', tool: 'Read', input: { file_path: 'a.txt' } },
    { type: 'decision', tool: 'Read', behavior: 'allow', basis: 'workspace' },
    { type: 'start', tool: 'Read' },
    { type: 'result', tool: 'Read', ok: true },
    { type: 'call', tool: 'Bash', input: { command: 'rm a.txt' } },
    { type: 'decision', tool: 'Bash', behavior: 'ask' },
    { type: 'result', tool: 'Bash', ok: false, failure: 'permission_denied' },
    { type: 'end' },
  ]);
  expect((await run('show', 'last', '--long')).stdout).toContain('decision Bash call_2  behavior="ask"');
  expect((await run('show', 'last')).stdout.split('\n')).toEqual([
    expect.stringMatching(/^\S+ \S+ {2}✓ Read {2}a\.txt {5}allowed: it reads inside the project {2}\d+ ms$/),
    expect.stringMatching(/^\S+ \S+ {2}⊘ Bash {2}rm a\.txt {2}denied: it runs the command "rm a\.txt"/),
    '',
  ]);
});

test('shows paths relative to the project of the session', async () => {
  const { options } = await auditedProject();
  const file = join(options.cwd, 'new.txt');
  await runHelve(['call', 'Write', JSON.stringify({ file_path: file, content: '' })], options);
  const { stdout } = await runHelve(['audit', 'show', 'last'], options);
  expect(stdout).toMatch(/⊘ Write {2}new\.txt {2}denied: it writes new\.txt/);
  expect(stdout).not.toContain(options.cwd);
});

test('the last session is the last one of this folder', async () => {
  const { id, options } = await auditedProject();
  const elsewhere = { ...options, cwd: await emptyFolder() };
  expect((await runHelve(['audit', 'show', 'last'], elsewhere)).stderr).toContain('No audit log for ');
  await runHelve(['call', 'Bash', '{"command":"true"}'], elsewhere);
  expect((await runHelve(['audit', 'verify', 'last'], options)).stdout).toContain(`${id}: intact`);
});

test('says that a log is intact, and finds it changed', async () => {
  const { id, log, run } = await auditedProject();
  const intact = await run('verify', id);
  expect(intact.code).toBe(0);
  expect(intact.stdout).toMatch(new RegExp(`^${id}: intact, 9 entries, last hash [0-9a-f]{64}\n$`));
  const hash = intact.stdout.trim().slice(-64);
  expect((await run('verify', id, '--hash', hash)).code).toBe(0);
  expect((await run('verify', '--hash', '0'.repeat(64))).code).toBe(1);

  await writeFile(log, (await readFile(log, 'utf8')).replace('rm a.txt', 'ls a.txt'));
  const changed = await run('verify', '--all');
  expect(changed.code).toBe(1);
  expect(changed.stdout).toContain(`${id}: NOT INTACT\n  line 6 was changed`);
  expect((await run('list')).stdout).toContain('NOT INTACT');
  expect(JSON.parse((await run('verify', '--json')).stdout)).toMatchObject([{ session: id, intact: false }]);
});

test.each([
  [['shwo'], 2, 'Did you mean "helve audit show"?'],
  [['show'], 2, 'takes one session'],
  [['show', 'missing'], 1, 'There is no audit log of a session "missing"'],
  [['verify', '--all', 'x'], 2, 'One session, or --all'],
  [['verify', '--hash', 'x'], 2, '--hash takes the 64 digits'],
  [['list'], 0, 'No audit log for'],
])('answers audit %j with exit status %i', async (args, code, message) => {
  const run = await runHelve(['audit', ...args]);
  expect(run.code).toBe(code);
  expect(run.stderr).toContain(message);
});
