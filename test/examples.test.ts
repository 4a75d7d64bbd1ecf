import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const examples = readdirSync('examples').filter((name) => name.endsWith('.mjs'));

test.each(examples)('examples/%s runs', async (name) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [`examples/${name}`]);
  expect(stderr).toBe('');
  expect(stdout).not.toBe('');
});

test('the README shows the example as it is', () => {
  expect(readFileSync('README.md', 'utf8')).toContain(readFileSync('examples/custom-tool.mjs', 'utf8').trim());
});
