import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findPaths, pathList } from './fuzzy-paths.js';

const list = pathList([
  'README.md',
  'src/',
  'src/tools/read.ts',
  'src/tools/read.test.ts',
  'src/agent/thread.ts',
  'src/terminal/input/PromptEditor.ts',
  'docs/reading/index.md',
]);

test.each([
  ['read.ts', 'src/tools/read.ts'],
  ['readme', 'README.md'],
  ['pe.ts', 'src/terminal/input/PromptEditor.ts'],
  ['tools/read', 'src/tools/read.ts'],
  ['stread', 'src/tools/read.ts'],
])('"%s" finds %s', (query, expected) => {
  expect(findPaths(list, query, 3)[0]).toBe(expected);
});

test('prefers the name of a file to the name of its folder', () => {
  expect(findPaths(list, 'read', 7).indexOf('docs/reading/index.md')).toBeGreaterThan(
    findPaths(list, 'read', 7).indexOf('src/tools/read.ts'),
  );
});

test('finds nothing if a letter is missing', () => {
  expect(findPaths(list, 'readz', 5)).toEqual([]);
});

test('finds exactly the paths that contain the letters in order', () => {
  const path = fc.array(fc.constantFrom('a', 'b', 'C', '/', '.', '-', '1', 'ä'), { minLength: 1, maxLength: 8 });
  const query = fc.array(fc.constantFrom('a', 'b', 'c', '/', '.', '1', 'ä'), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(path, { maxLength: 10 }), query, (paths, letters) => {
      const all = [...new Set(paths.map((parts) => parts.join('')))];
      const holds = (text: string): boolean => {
        let at = 0;
        for (const letter of text.toLowerCase()) if (letter === letters[at]) at += 1;
        return at === letters.length;
      };
      expect(findPaths(pathList(all), letters.join(''), 100).toSorted()).toEqual(all.filter(holds).toSorted());
    }),
  );
});
