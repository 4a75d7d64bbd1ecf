import { expect, test } from 'vitest';
import { TailText } from './tail-text.js';

test.each<[string, string]>([
  ['starting\nno database at localhost\n\n', 'no database at localhost'],
  [
    "node:internal/modules/cjs/loader:1215\n  throw err;\n  ^\n\nError: Cannot find module '/a.mjs'\n    at resolve (node:internal)\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v22.23.3\n",
    "Error: Cannot find module '/a.mjs'",
  ],
  ['Node.js v22.23.3\n', 'Node.js v22.23.3'],
  ['', ''],
])('finds the last line with content, which says why a program ended: %j', (text, line) => {
  const tail = new TailText(1000);
  tail.add(text);
  expect(tail.lastLine).toBe(line);
});
