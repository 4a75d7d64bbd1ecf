import { expect, test } from 'vitest';
import { WordWrap } from './word-wrap.js';

test('a text that arrives in pieces is wrapped between words', () => {
  const wrap = new WordWrap(20);
  const pieces = ['I fix it and run the te', 'sts ag', 'ain.\nThen ', 'I stop.'];
  expect(pieces.map((piece) => wrap.push(piece)).join('') + wrap.flush()).toBe(
    'I fix it and run the\ntests again.\nThen I stop.',
  );
});

test('a word that is longer than a line stays in one piece', () => {
  const wrap = new WordWrap(5);
  expect(wrap.push('a incomprehensibly b') + wrap.flush()).toBe('a \nincomprehensibly\nb');
});

test('a line that is full has no space behind it', () => {
  const wrap = new WordWrap(9);
  expect(wrap.push('one and a bit') + wrap.flush()).toBe('one and a\nbit');
});
