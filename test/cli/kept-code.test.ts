import { chmod, mkdtemp, readdir, readFile, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHelve } from './run-helve.js';

const call = (command = 'echo hi') => ['call', 'Bash', JSON.stringify({ command })];

interface Kept {
  home: string;
  folder: string;
  names: string[];
  run(options?: { command?: string }): ReturnType<typeof runHelve>;
}

async function afterOneRun(): Promise<Kept> {
  const home = await mkdtemp(join(tmpdir(), 'helve-kept-code-'));
  const run: Kept['run'] = ({ command } = {}) => runHelve(call(command), { env: { HELVE_HOME: home } });
  expect((await run()).code).toBe(0);
  const folder = join(home, 'cache', `${process.version}-${process.arch}`);
  return { home, folder, names: (await readdir(folder)).filter((name) => name !== 'learned.json'), run };
}

async function contentOf({ folder, names }: Kept): Promise<string[]> {
  return await Promise.all(names.map(async (name) => (await readFile(join(folder, name))).toString('base64')));
}

test('a run saves its compiled code in files that only their owner can read', async () => {
  const { folder, names } = await afterOneRun();
  expect(names.some((name) => name.startsWith('cli-shell-'))).toBe(true);
  for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
});

test('files that the loader reads as bytes are ASCII', async () => {
  const files = (await readdir('dist', { recursive: true })).filter((name) => name.endsWith('.cjs'));
  const texts = await Promise.all(files.map(async (name) => await readFile(join('dist', name), 'latin1')));
  expect(files.length).toBeGreaterThan(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is meant
  expect(files.filter((_, index) => /[^\u0000-\u007f]/.test(texts[index] ?? ''))).toEqual([]);
});

test('a run that loads no new code adds nothing to the cache, and one that loads new code does', async () => {
  const kept = await afterOneRun();
  const learnt = await contentOf(kept);
  await kept.run();
  expect(await contentOf(kept)).toEqual(learnt);
  await kept.run({
    command: 'for f in *; do test -f "$f" && echo "$(wc -l < "$f")" >> counts; done; sort counts | uniq -c',
  });
  expect(await contentOf(kept)).not.toEqual(learnt);
});

test.each([
  ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['empty', () => Buffer.alloc(0)],
  ['all zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
  ['changed in one byte', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 5_000 ? byte ^ 0x55 : byte)))],
])('code that is %s is not run, and is written again', async (_, damage) => {
  const kept = await afterOneRun();
  const paths = kept.names.map((name) => join(kept.folder, name));
  for (const path of paths) await writeFile(path, damage(await readFile(path)));
  const damaged = await contentOf(kept);
  const { code, stdout } = await kept.run();
  expect(code).toBe(0);
  expect(stdout).toContain('hi');
  const rewritten = await contentOf(kept);
  for (const [index, content] of rewritten.entries()) expect(content).not.toBe(damaged[index]);
});

test('code that others could have written is not run', async () => {
  const kept = await afterOneRun();
  for (const name of kept.names) await chmod(join(kept.folder, name), 0o666);
  await kept.run();
  for (const name of kept.names) expect((await stat(join(kept.folder, name))).mode & 0o777).toBe(0o600);
});

test('code in a folder that others can write is not run, and nothing is added to it', async () => {
  const kept = await afterOneRun();
  for (const name of kept.names) await writeFile(join(kept.folder, name), 'damaged');
  await chmod(kept.folder, 0o777);
  expect(await kept.run()).toMatchObject({ code: 0, stdout: expect.stringContaining('hi') });
  expect(await contentOf(kept)).toEqual(kept.names.map(() => Buffer.from('damaged').toString('base64')));
});

test('a link instead of the folder is not followed, and old files behind it stay', async () => {
  const { home, folder, run } = await afterOneRun();
  const elsewhere = await mkdtemp(join(tmpdir(), 'helve-elsewhere-'));
  await writeFile(join(elsewhere, 'old.txt'), 'not ours');
  await utimes(join(elsewhere, 'old.txt'), new Date(1e12), new Date(1e12));
  await rename(folder, join(home, 'before'));
  await symlink(elsewhere, folder);
  expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining('hi') });
  expect(await readdir(elsewhere)).toEqual(['old.txt']);
});

test('a run with Node flags saves nothing', async () => {
  const home = await mkdtemp(join(tmpdir(), 'helve-kept-code-'));
  const { code } = await runHelve(call(), { env: { HELVE_HOME: home, NODE_OPTIONS: '--max-old-space-size=500' } });
  expect(code).toBe(0);
  expect(await readdir(home)).not.toContain('cache');
});

test('a quick question is answered although the data folder cannot be written', async () => {
  const { code, stdout } = await runHelve(['tools', '--json'], { env: { HELVE_HOME: '/proc/helve' } });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).length).toBeGreaterThan(5);
});

test('a data folder that cannot be created is reported, and the prompt is answered all the same', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-no-home-'));
  await writeFile(join(folder, 'script.json'), JSON.stringify({ turns: [{ text: 'Done.' }] }));
  const args = ['-p', 'go', '--model', `scripted/${join(folder, 'script.json')}`];
  const run = await runHelve(args, { cwd: folder, env: { HELVE_HOME: '/proc/helve' } });
  expect(run).toMatchObject({
    code: 0,
    stdout: 'Done.\n',
    stderr: expect.stringContaining("The data folder can't be written"),
  });
});
