import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { emptyFolder, runHelve } from '../cli/run-helve.js';

test.each([['worker'], ['fleet', 'list']])(
  'without its database, helve %s says which one, why, and what to check',
  async (...command) => {
    const { code, stderr } = await runHelve([...command, '--database', 'postgres://127.0.0.1:1/fleet']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^helve: The database postgres:\/\/127\.0\.0\.1:1\/fleet can't be used: .*ECONNREFUSED.* Check the address/,
    );
  },
);

test.each(['hello', 'mysql://helve:secret@127.0.0.1/fleet', 'helve:secret@127.0.0.1/fleet'])(
  'an address that is not one of PostgreSQL is refused without a look-up: %s',
  async (address) => {
    const { code, stderr } = await runHelve(['fleet', 'list', '--database', address]);
    expect(code).toBe(1);
    expect(stderr).toContain('is not one of PostgreSQL: it has the form postgres://USER:PASSWORD@HOST:PORT/NAME');
    expect(stderr).not.toContain('secret');
  },
);

test('a key file without a key, and an option of another action, are refused with what to do', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'key'), '0123\n');
  const refused = async (...args: string[]) => (await runHelve(['fleet', ...args], { cwd })).stderr;
  const database = ['--database', 'postgres://127.0.0.1:1/fleet'];
  expect(await refused('list', ...database, '--key-file', 'key')).toMatch(
    /^helve: key must have 64 hexadecimal digits/,
  );
  expect(await refused('list', ...database, '--root', '.')).toMatch(/^helve: helve fleet list has no option --root\./);
});

test('without its packages, a worker and helve doctor name the one to install', async () => {
  const folder = await emptyFolder(); // where no package is found
  await Promise.all(
    ['bin', 'dist', 'package.json'].map((name) =>
      cp(name, join(folder, name), { recursive: true, filter: (path) => !/\.(?:map|ts)$/.test(path) }),
    ),
  );
  const run = async (...args: string[]): Promise<string> => {
    const command = [join(folder, 'bin/helve.cjs'), ...args, '--database', 'postgres://127.0.0.1:1/fleet'];
    const options = { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } };
    return await promisify(execFile)(process.execPath, command, options).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr,
    );
  };
  const missing = /The package pg is not installed beside helve, .* Install it: npm install pg/;
  expect(await run('worker')).toMatch(missing);
  expect(await run('doctor')).toMatch(missing);
});
