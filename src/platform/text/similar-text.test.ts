import { expect, test } from 'vitest';
import { nearestWords, similarity } from './similar-text.js';

test('rates equal texts 1 and texts without a common pair 0', () => {
  expect([similarity('abc', 'abc'), similarity('abc', 'xyz'), similarity('', '')]).toEqual([1, 0, 1]);
});

test('finds the name that was meant', () => {
  expect(nearestWords('confg.ts', ['main.ts', 'config.ts', 'README.md'])).toEqual(['config.ts']);
  expect(nearestWords('readme.MD', ['main.ts', 'README.md'])).toEqual(['README.md']);
});

test('offers nothing where nothing is similar', () => {
  expect(nearestWords('database.ts', ['README.md', 'LICENSE'])).toEqual([]);
});

test('takes a name that holds the right one, and puts the nearest first', () => {
  expect(nearestWords('ReadFile', ['Write', 'Read', 'Grep'])).toEqual(['Read']);
  expect(nearestWords('Reads', ['Read', 'Reader', 'Ready', 'Redo'])[0]).toBe('Read');
});

test('takes swapped letters for the slip that they are', () => {
  expect(nearestWords('Raed', ['Bash', 'Read', 'Write'])).toEqual(['Read']);
  expect(nearestWords('grpe', ['Glob', 'Grep'])).toEqual(['Grep']);
});
