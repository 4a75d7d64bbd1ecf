import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
