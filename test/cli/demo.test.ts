import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, runHelve } from './run-helve.js';

test.each([[['demo']], [[]]])('helve %j plays the demo to its end: a real failure, and its fix', async (args) => {
  const temporary = await emptyFolder();
  const { code, stdout, stderr } = await runHelve(args, { env: { TMPDIR: temporary } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('A script plays the model');
  expect(stdout).toMatch(/✗ Bash[\s\S]*One test fails[\s\S]*✓ Bash[\s\S]*● Bash rm -rf dist\n/);
  expect(stdout).toMatch(
    /^Done: ten or more of an item are 10 % cheaper, and all tests pass\. The old build is deleted\.$/m,
  );
  const marks = stdout.match(/^ *[●✓✗] \w+/gm)?.map((mark) => mark.trim()) ?? [];
  expect(marks.slice(0, 4)).toEqual(['● List', '✓ List', '● Grep', '✓ Grep']);
  expect(stdout).not.toContain(temporary);
  expect(stdout).toMatch(
    /login openai[\s\S]*export ANTHROPIC_API_KEY=…[\s\S]*--model ollama\/NAME[\s\S]*\/login, \/key and \/model/,
  );
  expect(await readdir(temporary)).toEqual([]);
});

test('the demo ends with commands that work: in a clone after an alias, which comes first', async () => {
  const cwd = resolve('.');
  const clone = await runHelve(['demo'], { cwd });
  const alias = `alias helve="${resolve('node_modules/.bin/node')} ${resolve('bin/helve.cjs')}"`;
  expect(clone.stdout).toContain(`\nTo use Helve with a real model:\n  ${alias}\n  helve `);
  expect(clone.stdout).toMatch(
    /^ {2}helve +starts it in your project; inside, \/login, \/key and \/model do the same$/m,
  );
  expect(clone.stdout).not.toContain('npx helve');
  const bin = await emptyFolder();
  await symlink(resolve('bin/helve.cjs'), join(bin, 'helve'));
  const env = { PATH: [bin, process.env['PATH']].join(delimiter) };
  const installed = await runHelve(['demo'], { cwd, env });
  expect(installed.stdout).toMatch(
    /^ {2}helve +starts it in your project; inside, \/login, \/key and \/model do the same$/m,
  );
  expect(installed.stdout).not.toContain('alias');
});

test('helve doctor says what is there and what is missing', async () => {
  const { code, stdout } = await runHelve(['doctor']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /✓ Node: 2\d.*\n[✓!] System: .*\n✓ Settings: no files\n✓ Shell: GNU bash.*\n✓ Limits: .*\n[✓–] Unasked commands: .*\n[✓–] Sandbox: .*\n✓ Search: ripgrep.*\n– Model: No model is set up: set ANTHROPIC_API_KEY/,
  );
  expect(JSON.parse((await runHelve(['doctor', '--json'])).stdout)).toHaveLength(10);
});

test('helve --version and --help answer', async () => {
  expect((await runHelve(['--version'])).stdout).toMatch(/^helve \d+\.\d+\.\d+\n$/);
  expect((await runHelve(['--help'])).stdout).toContain('helve call --stdin');
});

test('doctor marks settings that need attention', async () => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, '.helve'));
  await writeFile(join(cwd, '.helve', 'settings.json'), '{"permissions": {"allow": ["Bash("]}}');
  const { stdout } = await runHelve(['doctor'], { cwd });
  expect(stdout).toMatch(/^! Settings: .*; 1 thing to look at, see helve config list$/m);
});
