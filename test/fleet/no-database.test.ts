import { expect, test } from 'vitest';
import { runHelve } from '../cli/run-helve.js';

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
