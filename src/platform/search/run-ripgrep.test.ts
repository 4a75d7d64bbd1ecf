import { chmod, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RipgrepOptions, runRipgrep } from './run-ripgrep.js';

async function project(options: Partial<RipgrepOptions> = {}): Promise<RipgrepOptions> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), 'helve-rg-')));
  await writeFile(join(cwd, 'a.txt'), 'needle\nhay\n');
  return { cwd, path: './', env: process.env, signal: new AbortController().signal, ...options };
}

async function run(args: readonly string[], where: RipgrepOptions) {
  const parts: string[] = [];
  const outcome = await runRipgrep(['--null', '--with-filename', ...args], where, (text) => parts.push(text));
  return { ...outcome, parts, text: parts.join('') };
}

test('searches the path and not its standard input', async () => {
  expect((await run(['-e', 'needle'], await project())).text).toBe('./a.txt\0needle\n');
});

test('returns an empty result if nothing matches', async () => {
  expect(await run(['-e', 'nothing'], await project())).toEqual({
    text: '',
    parts: [],
    stopped: undefined,
    complaints: [],
  });
});

test('returns results as they arrive, in whole records, for any file name', async () => {
  const where = await project();
  const name = 'a\nname: of lines\n12:x.txt';
  await writeFile(join(where.cwd, name), 'needle in a line\n'.repeat(20_000));
  const { parts, text } = await run(['-e', 'needle', '--line-number'], where);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.every((part) => part.startsWith('./') && part.endsWith('\n'))).toBe(true);
  expect(text.split('\0')).toHaveLength(20_002);
});

test("passes on ripgrep's message about an invalid pattern", async () => {
  await expect(run(['-e', '(unclosed'], await project())).rejects.toThrow(/unclosed group/);
});

test('stops at its limit after a whole line and says so', async () => {
  const where = await project({ maxOutputBytes: 100_000 });
  await writeFile(join(where.cwd, 'big.txt'), 'needle in a line\n'.repeat(100_000));
  const { text, stopped } = await run(['-e', 'needle'], where);
  expect([stopped, text.length <= 100_000, text.endsWith('\n')]).toEqual(['too much output', true, true]);
});

test('reports a timeout instead of an empty result', async () => {
  const where = await slowProgram();
  expect((await run(['-e', 'x'], { ...where, timeoutMs: 1 })).stopped).toBe('took too long');
});

test('ends when the call that started it is aborted', async () => {
  const controller = new AbortController();
  const running = run(['-e', 'x'], { ...(await slowProgram()), signal: controller.signal });
  controller.abort(new Error('cancelled'));
  await expect(running).rejects.toThrow('cancelled');
});

test("uses the system's ripgrep on request, but not one from a relative folder of PATH", async () => {
  const where = await slowProgram();
  await writeFile(join(where.cwd, 'rg'), '#!/bin/sh\necho "from PATH: $*"\n');
  expect((await run(['-e', 'x'], where)).text).toBe(
    'from PATH: --no-config --color=never --null --with-filename -e x -- ./\n',
  );
  await expect(run(['-e', 'x'], { ...where, env: { ...where.env, PATH: '.' } })).rejects.toThrow(
    /ripgrep, which searches need, was not found/,
  );
});

/** A project whose own folder is on PATH, with an `rg` that never ends by itself. */
async function slowProgram(): Promise<RipgrepOptions> {
  const where = await project();
  await writeFile(join(where.cwd, 'rg'), '#!/bin/sh\nexec sleep 600\n');
  await chmod(join(where.cwd, 'rg'), 0o755);
  return { ...where, env: { USE_BUILTIN_RIPGREP: '0', PATH: `${where.cwd}:/usr/bin:/bin` } };
}
