import { expect, test } from 'vitest';
import { interactive } from './interactive.js';

test.each([
  ['--json-schema', '{}'],
  ['--output-format', 'json'],
  ['--permission-prompt-tool', 'mcp__a__b'],
])('refuses %s at a terminal, where it would have no effect', async (flag, value) => {
  const starting = interactive([flag, value], '0');
  await expect(starting).rejects.toThrow(`${flag} works only with -p. Add -p and the prompt.`);
});
