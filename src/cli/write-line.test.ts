import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { wrapped } from './write-line.js';

const sentence = 'helve: No session has changed files yet, so there is nothing to undo.';

test('sentences on a terminal break between words, and elsewhere not at all', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 30 });
  const lines = wrapped(sentence, terminal).split('\n');
  expect(lines.every((line) => line.trimEnd().length <= 30)).toBe(true);
  expect(lines.map((line) => line.trim()).join(' ')).toBe(sentence);
  expect(wrapped(sentence, new PassThrough())).toBe(sentence);
});

test('a terminal that reports 0 columns counts as 80 wide', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 0 });
  expect(wrapped(sentence, terminal)).toBe(sentence);
});
