import { expect, test } from 'vitest';
import { jsonLine, jsonText } from './json-line.js';

test('escapes characters that control a terminal or the reading direction, and keeps the value', () => {
  const value = { text: 'a\u009b31m\u202eb\u2066c\u007f\u2028d\u200f\u061ce – ü 👩‍💻' };
  const line = jsonLine(value);
  expect(line).toContain('a\\u009b31m\\u202eb\\u2066c\\u007f\\u2028d\\u200f\\u061ce – ü 👩‍💻');
  expect(JSON.parse(line)).toEqual(value);
  expect(jsonText(value)).toBe(`{\n  ${line.slice(1, -1).replace(':', ': ')}\n}`);
});
