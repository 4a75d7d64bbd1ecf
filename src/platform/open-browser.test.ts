import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBrowser } from './open-browser.js';

/** A browser that writes down its arguments. */
async function browser(): Promise<{ program: string; seen(): Promise<string[]>; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-browser-'));
  const program = join(folder, 'browser');
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/seen"\n`);
  await chmod(program, 0o755);
  const seen = async (): Promise<string[]> => (await readFile(join(folder, 'seen'), 'utf8')).trimEnd().split('\n');
  return { program, seen, folder };
}

test('passes the address as one argument, with whatever a shell would read in it', async () => {
  const { program, seen, folder } = await browser();
  const address = `https://example.com/a?b=1&c=$(touch%20${folder}/x);'`;
  expect(await openBrowser(address, { BROWSER: `${program} --new`, PATH: process.env['PATH'] })).toBe(true);
  expect(await seen()).toEqual(['--new', new URL(address).href]);
});

test('puts the address in the place that BROWSER names, and tries the next program if one is missing', async () => {
  const { program, seen } = await browser();
  const env = { BROWSER: `/missing/browser:${program} --url=%s --private`, PATH: process.env['PATH'] };
  expect(await openBrowser('http://127.0.0.1:5/x', env)).toBe(true);
  expect(await seen()).toEqual(['--url=http://127.0.0.1:5/x', '--private']);
});

test.each([
  'http://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://a:b@example.com/',
  '--help',
  '',
])('does not open %j', async (address) => {
  const { program, seen } = await browser();
  expect(await openBrowser(address, { BROWSER: program, PATH: process.env['PATH'] })).toBe(false);
  await expect(seen()).rejects.toThrow('ENOENT');
});

test('says so if there is no browser', async () => {
  expect(await openBrowser('https://example.com/', { BROWSER: '/missing/browser' })).toBe(false);
});
