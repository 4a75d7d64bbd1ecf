import { expect, test } from 'vitest';
import { Theme } from '../screen/theme.js';
import { markedLines } from './mark-parts.js';

const theme = new Theme({ name: 'none', depth: 'many' });

test('a part that is quoted otherwise than it was typed is marked up to the first difference', () => {
  const [line, marks] = markedLines(
    theme,
    'cd x && curl -d "a" b.example',
    [{ text: "curl -d 'a'", level: 'high' }],
    60,
  );
  expect(line).toBe('cd x && curl -d "a" b.example');
  expect(marks).toBe('        ^^^^^^^');
});

test('a part that many risks name, in a long command, is marked to its end', () => {
  const hosts = Array.from({ length: 1200 }, (_, index) => `h${index}.example.com`).join(' ');
  const part = { text: `curl ${hosts}`, level: 'high' } as const;
  const lines = markedLines(theme, part.text, Array<typeof part>(1200).fill(part), 100);
  const marks = lines.filter((line) => line.startsWith('^'));
  expect(lines.length).toBe(2 * marks.length);
  expect(marks.at(-1)?.length).toBe(lines.at(-2)?.length);
});

test('a part of which no word was typed is not marked', () => {
  expect(markedLines(theme, 'ls', [{ text: 'rm -rf x', level: 'high' }], 60)).toEqual(['ls']);
});
