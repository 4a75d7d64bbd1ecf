import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryRepository } from '../../src/testing/git-repository.js';
import { type FakeAnswers, startFakeModelServer } from '../../src/testing/index.js';
import { runHelve } from './run-helve.js';

async function place(files: Record<string, string> = {}) {
  const repository = await temporaryRepository(files);
  const home = await realpath(await mkdtemp(join(tmpdir(), 'helve-home-')));
  onTestFinished(async () => {
    for (const folder of [repository.root, home]) await rm(folder, { recursive: true, force: true });
  });
  const env = { HOME: home, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const helve = async (
    args: string[],
    { answers = [], cwd = repository.root }: { answers?: FakeAnswers; cwd?: string } = {},
  ) => {
    const server = await startFakeModelServer(answers);
    try {
      const model = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' };
      return { ...(await runHelve(args, { cwd, env: { ...env, ...model } })), server };
    } finally {
      await server.close();
    }
  };
  const list = async (): Promise<Array<Record<string, unknown>>> =>
    JSON.parse((await helve(['worktree', 'list', '--json'])).stdout || '[]');
  const folderOf = async (name: string): Promise<string> =>
    String((await list()).find((one) => one['name'] === name)?.['folder']);
  return { ...repository, home, helve, list, folderOf };
}

const write = (file_path: string, content: string) => ({ calls: [{ name: 'Write', input: { file_path, content } }] });
const lastResult = (run: { server: { requests: ReadonlyArray<{ body: { messages: unknown[] } }> } }): string =>
  JSON.stringify(run.server.requests.at(-1)?.body.messages.at(-1));

test('a run in a worktree leaves the project as it is, and its work on a branch that can be merged', async () => {
  const here = await place();
  const answers = [write('src/new.txt', 'new\n'), { text: 'done' }];
  const run = await here.helve(['-p', 'go', '-w', 'one', '--permission-mode', 'acceptEdits'], { answers });
  expect(run).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(run.stderr).toMatch(/working in the git worktree one \(new, from commit [0-9a-f]{10}\)/);
  expect(run.stderr).toContain('helve worktree merge one');
  expect(existsSync(join(here.root, 'src/new.txt'))).toBe(false);
  expect(await here.list()).toMatchObject([{ name: 'one', state: 'changed', files: ['src/new.txt'], commits: 1 }]);
  const refused = await here.helve(['worktree', 'remove', 'one']);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has what is nowhere else (1 changed file)'),
  });
  expect(await here.helve(['worktree', 'merge', 'one'])).toMatchObject({ code: 0 });
  expect(await readFile(join(here.root, 'src/new.txt'), 'utf8')).toBe('new\n');
  expect(await here.list()).toEqual([]);
  expect(here.git('branch').trim()).toBe('* main');
});

test('a hook makes the worktree of a run, once the project is trusted', async () => {
  const here = await place();
  const made = join(here.home, 'made');
  const script = `read -r input; printf '%s\\n' "$input" >> "${made}.log"; git worktree add -q -b hooked "${made}"; echo; echo "${made}"`;
  const hooks = (command: string) => ({ hooks: [{ type: 'command', command }] });
  const settings = {
    hooks: {
      WorktreeCreate: [hooks(script)],
      WorktreeRemove: [hooks(`cat >> "${made}.log"`)],
    },
  };
  await mkdir(join(here.root, '.helve'));
  await writeFile(join(here.root, '.helve/settings.json'), JSON.stringify(settings));
  const args = ['-p', 'go', '-w', 'one', '--permission-mode', 'acceptEdits'];
  const untrusted = await here.helve(args, { answers: [{ text: 'done' }] });
  expect([untrusted.code, existsSync(`${made}.log`)]).toEqual([0, false]);

  const answers = [write('src/new.txt', 'new\n'), { text: 'done' }];
  const run = await here.helve([...args, '--trust'], { answers });
  expect(run.stderr).toContain(`${made}, branch hooked`);
  expect(await readFile(join(made, 'src/new.txt'), 'utf8')).toBe('new\n');
  expect(await here.helve(['worktree', 'remove', 'one', '--force'])).toMatchObject({ code: 0 });
  expect(existsSync(made)).toBe(false);
  const log = await readFile(`${made}.log`, 'utf8');
  expect(log).toMatch(/^\{.*"hook_event_name":"WorktreeCreate","name":"one"\}\n/);

  const failing = { hooks: { WorktreeCreate: [hooks('echo no room >&2; exit 3')] } };
  const refused = await here.helve([...args, '--settings', JSON.stringify(failing)], { answers: [] });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(
    /The WorktreeCreate hook made no worktree "one": it ended with exit code 3 and said: no room/,
  );
  expect(await here.list()).toEqual([]);
});

test('helve call works in a worktree, under the rules of the project, and leaves it free', async () => {
  const here = await place({ 'secret.txt': 'hidden\n' });
  const answers = [write('src/new.txt', 'new\n'), { text: 'done' }];
  await here.helve(['-p', 'go', '-w', 'one', '--permission-mode', 'acceptEdits'], { answers });
  const cwd = await here.folderOf('one');
  const rules = ['--disallowed-tools', `Read(/${here.root}/secret.txt)`, '--text'];
  expect(await here.helve(['call', 'Read', 'src/new.txt', ...rules], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('new'),
  });
  expect(await here.helve(['call', 'Read', 'secret.txt', ...rules], { cwd })).toMatchObject({ code: 1, stdout: '' });
  expect(await here.list()).toMatchObject([{ name: 'one', state: 'changed' }]);
});

test('a worktree in which nothing changed is gone after the run, also after a failed one', async () => {
  const here = await place();
  expect((await here.helve(['-p', 'go', '--worktree'], { answers: [{ text: 'ok' }] })).stderr).toContain(
    'nothing in it was new',
  );
  const failed = await here.helve(['-p', 'go', '--worktree', '--model', 'nobody/none']);
  expect(failed.code).toBe(2);
  expect(await here.list()).toEqual([]);
  expect(here.git('branch').trim()).toBe('* main');
});

test('rules about the project hold in the worktree: relative, by absolute path, and for commands', async () => {
  const here = await place({ 'secret/key.txt': 'KEY\n', 'other/key.txt': 'KEY\n' });
  const deny = ['Read(/secret/**)', `Read(/${here.root}/other/**)`, 'Edit(/src/**)'];
  await mkdir(join(here.root, '.claude'));
  await writeFile(join(here.root, '.claude/settings.json'), JSON.stringify({ permissions: { deny } }));
  const calls = [
    { name: 'Read', input: { file_path: 'secret/key.txt' } },
    { name: 'Read', input: { file_path: 'other/key.txt' } },
    { name: 'Bash', input: { command: 'cat other/key.txt' } },
    { name: 'Grep', input: { pattern: 'KEY', output_mode: 'content' } },
    { name: 'Write', input: { file_path: 'src/x.txt', content: 'x' } },
    { name: 'Read', input: { file_path: 'a.txt' } },
    { name: 'Write', input: { file_path: 'free.txt', content: 'x' } },
  ];
  const run = await here.helve(['-p', 'go', '-w', 'one', '--permission-mode', 'bypassPermissions'], {
    answers: [{ calls }, { text: 'done' }],
  });
  const results: Array<{ content: unknown; is_error?: boolean }> = JSON.parse(lastResult(run)).content;
  const texts = results.map((result) => JSON.stringify(result));
  expect(
    texts.slice(0, 3).every((text) => /"is_error":true.*|deny|denies/.test(text) && !text.includes('KEY\\n')),
  ).toBe(true);
  expect(texts[3]).toMatch(/No matches|no match/i);
  expect(texts[4]).toMatch(/Edit\(\/src\/\*\*\)/);
  expect(results.slice(5).map(({ is_error }) => is_error ?? false)).toEqual([false, false]);
  expect(run.stderr).toContain('1 changed file');
});

test('trust and settings are those of the project: the set-up command runs after trust alone', async () => {
  const here = await place();
  await mkdir(join(here.root, '.claude'));
  const settings = { worktree: { setup: 'echo ready > ready.txt', end: 'merge' } };
  await writeFile(join(here.root, '.claude/settings.json'), JSON.stringify(settings));
  const read = { calls: [{ name: 'Read', input: { file_path: 'ready.txt' } }] };
  const answers = [read, write('new.txt', 'x'), { text: 'ok' }];
  const mode = ['--permission-mode', 'acceptEdits'];
  const plain = await here.helve(['-p', 'go', '-w', ...mode], { answers });
  expect(plain.stderr).toContain('is kept with 1 changed file');
  expect(JSON.stringify(plain.server.requests[1]?.body.messages)).toContain('does not exist');
  const trusted = await here.helve(['-p', 'go', '-w', '--trust', ...mode], { answers });
  expect(trusted.stderr).toContain('was merged into');
  expect(JSON.stringify(trusted.server.requests[1]?.body.messages)).toContain('ready');
  expect(existsSync(join(here.root, 'new.txt'))).toBe(true);
});

test('a session of a worktree goes back to it, and says so if it is gone', async () => {
  const here = await place();
  const json = ['-p', 'go', '--output-format', 'json', '--permission-mode', 'acceptEdits'];
  const first = await here.helve([...json, '-w', 'one'], { answers: [write('c.txt', 'mine\n'), { text: 'done' }] });
  const { session_id: id } = JSON.parse(first.stdout);
  const folder = await here.folderOf('one');
  const again = await here.helve([...json, '-r', id], { answers: [write('b.txt', 'more\n'), { text: 'done' }] });
  expect(again.stderr).toContain('working in the git worktree one (kept from before)');
  expect(existsSync(join(folder, 'b.txt'))).toBe(true);
  expect(existsSync(join(here.root, 'b.txt'))).toBe(false);
  const inside = await here.helve([...json, '-c'], { answers: [{ text: 'done' }], cwd: folder });
  expect(inside).toMatchObject({ code: 0 });
  expect(await here.helve(['worktree', 'remove', 'one', '--force'])).toMatchObject({ code: 0 });
  const gone = await here.helve([...json, '-r', id]);
  expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining('which was removed') });
});

test('undo takes back what a session did in its worktree', async () => {
  const here = await place();
  const answers = [write('new.txt', 'x\n'), { text: 'done' }];
  await here.helve(['-p', 'go', '-w', 'one', '--permission-mode', 'acceptEdits'], { answers });
  const folder = await here.folderOf('one');
  expect(existsSync(join(folder, 'new.txt'))).toBe(true);
  const undone = await here.helve(['undo', '--yes'], { cwd: folder });
  expect(undone).toMatchObject({ code: 0 });
  expect(existsSync(join(folder, 'new.txt'))).toBe(false);
});

test('killed at work, the worktree and its changes are there at the next start', async () => {
  const here = await place();
  const kill = { calls: [{ name: 'Bash', input: { command: 'echo x > made.txt; kill -9 $PPID; sleep 5' } }] };
  await here.helve(['-p', 'go', '-w', 'one', '--permission-mode', 'bypassPermissions'], {
    answers: [kill, { text: '' }],
  });
  const [left] = await here.list();
  expect(left).toMatchObject({ name: 'one', files: ['made.txt'] });
  const clean = await here.helve(['worktree', 'clean']);
  expect(clean.stderr).toContain('0 worktrees removed; 1 with changes');
});

test('with a full disk, a merge says so and leaves the project as it was; with room, it is merged', async ({
  skip,
}) => {
  const [folder, home] = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'helve-full-'))));
  onTestFinished(async () => {
    for (const one of [folder, home]) await rm(one ?? '', { recursive: true, force: true });
  });
  const script = `
mount -t tmpfs -o size=6m tmpfs "$FOLDER" || exit 77
cd "$FOLDER"; git init -q -b main; git config user.name a; git config user.email a@b
echo one > first.txt; git add .; git commit -qm one
helve() { "$NODE" "$HELVE" "$@"; }
helve -p go -w fix --model "scripted/$SCRIPT" --permission-mode acceptEdits >/dev/null 2>&1 || exit 78
cd "$HELVE_HOME"/worktrees/*/fix
for name in a b c; do head -c 1000000 /dev/urandom > $name.bin; done; echo two > first.txt
git add .; git commit -qm two; cd "$FOLDER"
dd if=/dev/zero of=fill bs=1k count=1500 2>/dev/null; echo fill > .git/info/exclude
helve worktree merge fix; echo "code $?"
git status --porcelain; git log --format=%s | tr '\\n' ' '; ls
rm fill
helve worktree merge fix; echo "code $?"
git status --porcelain; git log --format=%s | tr '\\n' ' '; ls`;
  const answers = join(home ?? '', 's.json');
  await writeFile(answers, JSON.stringify({ turns: [write('new.txt', 'new\n'), { text: 'Done.' }] }));
  const env = { PATH: process.env['PATH'], HOME: home, HELVE_HOME: home, NODE: process.execPath, SCRIPT: answers };
  const { stdout, stderr, status } = spawnSync('unshare', ['--mount', 'bash', '-c', script], {
    env: { ...env, FOLDER: folder, HELVE: resolve('bin/helve.cjs'), GIT_CONFIG_GLOBAL: '/dev/null' },
    encoding: 'utf8',
  });
  if (status === 77) skip('a file system can not be mounted here');
  expect(stderr).toMatch(
    /fix was not merged: git could not write the files, so the project is as before; is the disk full/,
  );
  expect(stdout).toBe(
    'code 1\none fill\nfirst.txt\ncode 0\ntwo Changes of a Helve session in the worktree fix one a.bin\nb.bin\nc.bin\nfirst.txt\nnew.txt\n',
  );
});
