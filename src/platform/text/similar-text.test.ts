import { expect, test } from 'vitest';
import { nearestWords, similarity } from './similar-text.js';

test('rates equal texts 1 and texts without a common pair 0', () => {
  expect([similarity('abc', 'abc'), similarity('abc', 'xyz'), similarity('', '')]).toEqual([1, 0, 1]);
});

test('finds the intended name', () => {
  expect(nearestWords('confg.ts', ['main.ts', 'config.ts', 'README.md'])).toEqual(['config.ts']);
  expect(nearestWords('readme.MD', ['main.ts', 'README.md'])).toEqual(['README.md']);
});

test('suggests nothing if nothing is similar', () => {
  expect(nearestWords('database.ts', ['README.md', 'LICENSE'])).toEqual([]);
});

test('a word of which half differs is meant only if it begins alike', () => {
  expect(nearestWords('edit', ['quit', 'exit'])).toEqual(['exit']);
  expect(nearestWords('huge', ['high'])).toEqual([]);
  expect(nearestWords('denied', ['allow', 'deny'])).toEqual(['deny']);
});

test('accepts a name that contains the right one, and puts the nearest first', () => {
  expect(nearestWords('ReadFile', ['Write', 'Read', 'Grep'])).toEqual(['Read']);
  expect(nearestWords('Reads', ['Read', 'Reader', 'Ready', 'Redo'])[0]).toBe('Read');
});

test('recognises swapped letters', () => {
  expect(nearestWords('Raed', ['Bash', 'Read', 'Write'])).toEqual(['Read']);
  expect(nearestWords('grpe', ['Glob', 'Grep'])).toEqual(['Grep']);
});
