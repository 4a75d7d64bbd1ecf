import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlainMarkdown } from './plain-markdown.js';

test.each([
  ['# Done', 'Done'],
  ['- **one**, *two* and `a*b*c`', '- one, two and a*b*c'],
  ['- [x] tests', '- done: tests'],
  ['See [the page](https://example.com/a).', 'See the page (https://example.com/a).'],
  [
    '| case | cents |\n|---|--:|\n| one **item** | 849 |\n| `two` | 0 |\nafter',
    'case: one item; cents: 849\ncase: two; cents: 0\nafter',
  ],
  ['| a | b |\nno table', '| a | b |\nno table'],
  ['| a | b |', '| a | b |'],
  ['2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
  ['```js\nconst a = b ** c;\n# no heading\n```\nafter', 'const a = b ** c;\n# no heading\nafter'],
])('reads %j without its marks', (markdown, expected) => {
  const reader = new PlainMarkdown();
  expect(`${reader.push(markdown)}${reader.flush()}`).toBe(expected);
});

test('a text reads the same in any pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('# a', '**', 'b', '`', '\n', '|', '|-|\n', '```', ' ', '[x](y)')),
      (pieces) => {
        const [whole, parts] = [new PlainMarkdown(), new PlainMarkdown()];
        const expected = `${whole.push(pieces.join(''))}${whole.flush()}`;
        expect(`${pieces.map((piece) => parts.push(piece)).join('')}${parts.flush()}`).toBe(expected);
      },
    ),
  );
});
