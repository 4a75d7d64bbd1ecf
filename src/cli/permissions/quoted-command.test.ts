import { expect, test } from 'vitest';
import { permissions } from '../permissions.js';

test('an unquoted command with options is answered with how to quote it', async () => {
  const asked = permissions(['explain', 'Bash', 'rm', '-rf', '/']);
  await expect(asked).rejects.toThrow('put the command in quotes: helve permissions explain Bash "…"');
});
