import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeThreeWay } from './three-way-merge.js';

test('merges separate changes of both sides, and reports which lines came from theirs', () => {
  expect(mergeThreeWay('a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'a\nb\nc\nD\nE\n')).toEqual({
    text: 'A\nb\nc\nD\nE\n',
    conflicts: [],
    theirHunks: [[4, 5]],
    exact: true,
  });
});

test('puts both versions between markers if the sides conflict', () => {
  expect(mergeThreeWay('a\nb\nc\n', 'a\nours\nc\n', 'a\ntheirs\nmore\nc\n')).toEqual({
    text: 'a\n<<<<<<< yours\nours\n=======\ntheirs\nmore\n>>>>>>> on disk\nc\n',
    conflicts: [{ oursLines: [2, 2], theirsLines: [2, 3], baseLines: [2, 2] }],
    theirHunks: [],
    exact: true,
  });
});

test('counts the markers as lines of the result', () => {
  const { theirHunks } = mergeThreeWay('a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'x\nb\nc\nnew\nd\n');
  expect(theirHunks).toEqual([[8, 8]]);
});

test('accepts labels for the markers', () => {
  const { text } = mergeThreeWay('a', 'b', 'c', { ours: 'mine', theirs: 'other' });
  expect(text).toBe('<<<<<<< mine\nb\n=======\nc\n>>>>>>> other\n');
});

test('reports an empty range for the side of a conflict that removed its lines', () => {
  expect(mergeThreeWay('a\nb\nc\n', 'a\nc\n', 'a\nB\nc\n').conflicts).toEqual([
    { oursLines: [2, 1], theirsLines: [2, 2], baseLines: [2, 2] },
  ]);
});

test('applies a line removed by theirs, without a range', () => {
  expect(mergeThreeWay('a\nb\nc\nd\n', 'a\nb\nc\nD\n', 'a\nc\nd\n')).toMatchObject({
    text: 'a\nc\nD\n',
    theirHunks: [],
  });
});

test.each([
  ['changes to neighbouring lines', 'a\nb\n', 'A\nb\n', 'a\nB\n'],
  ['insertions at the same place', 'a\nb\n', 'a\nx\nb\n', 'a\ny\nb\n'],
  ['two new files', '', 'x\n', 'y\n'],
  ['a changed ending and a changed line', 'a\n', 'a\r\n', 'b\n'],
])('treats %s as a conflict', (_, base, ours, theirs) => {
  expect(mergeThreeWay(base, ours, theirs).conflicts).toHaveLength(1);
});

test.each(['\n', '\r\n', '\r'])('ends markers with the ending of the file (%j)', (ending) => {
  const file = (...lines: string[]): string => lines.map((line) => line + ending).join('');
  expect(mergeThreeWay(file('a', 'b'), file('a', 'x'), file('a', 'y')).text).toBe(
    file('a', '<<<<<<< yours', 'x', '=======', 'y', '>>>>>>> on disk'),
  );
});

test('keeps the ending of each line', () => {
  const { text } = mergeThreeWay('a\r\nb\nc\rd\ne', 'A\r\nb\nc\rd\ne', 'a\r\nb\nc\rd\nE');
  expect(text).toBe('A\r\nb\nc\rd\nE');
});

test('adds an ending before a marker to a last line without one, and merges one that only one side changed', () => {
  expect(mergeThreeWay('a\nb', 'a\nx', 'a\ny').text).toBe('a\n<<<<<<< yours\nx\n=======\ny\n>>>>>>> on disk\n');
  expect(mergeThreeWay('a\nb\nc', 'A\nb\nc', 'a\nb\nc\n').text).toBe('A\nb\nc\n');
});

const anyText = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', '', 'constructor', '__proto__'), fc.constantFrom('\n', '\r\n', '\r')))
  .chain((lines) => fc.constantFrom('', 'end').map((end) => lines.flat().join('') + end));

test('returns one side if the other changed nothing, or made the same change', () => {
  fc.assert(
    fc.property(anyText, anyText, (base, changed) => {
      expect(mergeThreeWay(base, changed, base).text).toBe(changed);
      expect(mergeThreeWay(base, base, changed).text).toBe(changed);
      expect(mergeThreeWay(base, changed, changed).text).toBe(changed);
    }),
  );
});

test('reports exactly the lines of the result that came from theirs', () => {
  fc.assert(
    fc.property(anyText, anyText, (base, theirs) => {
      const { text, theirHunks } = mergeThreeWay(base, base, theirs);
      const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
      for (const [first, last] of theirHunks) {
        expect(first).toBeLessThanOrEqual(last);
        expect(last).toBeLessThanOrEqual(lines.length);
      }
      const untouched = lines.filter((_, index) => !theirHunks.some(([from, to]) => index + 1 >= from && index < to));
      const baseLines = base.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
      expect(isSubsequence(untouched, baseLines)).toBe(true);
    }),
  );
});

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let found = 0;
  for (const item of whole) if (found < part.length && item === part[found]) found += 1;
  return found === part.length;
}

test('finds the same conflicts if the sides are swapped', () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (base, ours, theirs) => {
      const { conflicts } = mergeThreeWay(base, ours, theirs);
      const swapped = mergeThreeWay(base, theirs, ours).conflicts;
      expect(swapped).toEqual(
        conflicts.map(({ oursLines, theirsLines, baseLines }) => ({
          oursLines: theirsLines,
          theirsLines: oursLines,
          baseLines,
        })),
      );
    }),
  );
});

// Every line of base is one of a kind and every new line is new, so there is one right way to compare the texts.
const edits = fc.array(fc.constantFrom('keep', 'keep', 'keep', 'keep', 'drop', 'replace', 'insert', 'same'), {
  minLength: 1,
  maxLength: 14,
});

function edited(kinds: readonly string[], side: string, ending: string): string {
  return kinds
    .flatMap((kind, index) => {
      const line = `line ${index}`;
      if (kind === 'drop') return [];
      if (kind === 'replace') return [`${side} ${index}`];
      if (kind === 'insert') return [`${side} before ${index}`, line];
      return kind === 'same' ? [`both ${index}`] : [line];
    })
    .map((line) => line + ending)
    .join('');
}

const hasGit = spawnSync('git', ['--version']).status === 0;

test.skipIf(!hasGit)('merges like git (skipped if git is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'helve-merge-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  fc.assert(
    fc.property(edits, edits, fc.constantFrom('\n', '\r\n'), fc.boolean(), (first, second, ending, cutEnd) => {
      const length = Math.max(first.length, second.length);
      const all = Array.from({ length }, () => 'keep');
      const [base = '', ours = '', theirs = ''] = [
        edited(all, '', ending),
        edited([...first, ...all.slice(first.length)], 'ours', ending),
        edited([...second, ...all.slice(second.length)], 'theirs', ending),
      ].map((text) => (cutEnd ? text.slice(0, text.length - ending.length) : text));
      // Without a line ending in these two, git's markers end with \n, regardless of the third text.
      fc.pre(ending === '\n' || [base, ours].some((text) => text.includes(ending)));
      const git = spawnSync(
        'git',
        [
          'merge-file',
          '-p',
          '--diff3',
          '-L',
          'yours',
          '-L',
          'base',
          '-L',
          'on disk',
          file('o', ours),
          file('b', base),
          file('t', theirs),
        ],
        { encoding: 'utf8' },
      );
      const merged = mergeThreeWay(base, ours, theirs);
      expect(merged.text).toBe(git.stdout.replace(/^\|{7} base\r?\n[\s\S]*?^(?========)/gm, ''));
      expect(merged.conflicts).toHaveLength(git.status ?? -1);
    }),
    { numRuns: 150 },
  );
});

test('treats more changes than can be compared as one, and says so', () => {
  const numbered = (word: string): string => Array.from({ length: 9_000 }, (_, index) => `${word} ${index}\n`).join('');
  const base = `first\n${numbered('line')}last\n`;
  const rewritten = `first\n${numbered('other')}last\n`;
  expect(mergeThreeWay(base, base, rewritten)).toEqual({
    text: rewritten,
    conflicts: [],
    theirHunks: [[2, 9_001]],
    exact: false,
  });
  const { text, conflicts, exact } = mergeThreeWay(base, base.replace('line 500\n', 'x\n'), rewritten);
  expect([conflicts, exact]).toEqual([
    [{ oursLines: [2, 9_001], theirsLines: [2, 9_001], baseLines: [2, 9_001] }],
    false,
  ]);
  expect(text.endsWith('>>>>>>> on disk\nlast\n')).toBe(true);
});

test('treats texts with too many lines as one conflict', () => {
  const blank = '\n'.repeat(800_000);
  expect(mergeThreeWay(blank, `${blank}a`, `b${blank}`)).toMatchObject({
    conflicts: [{ oursLines: [1, 800_001], theirsLines: [1, 800_000], baseLines: [1, 800_000] }],
    exact: false,
  });
  expect(mergeThreeWay(blank, blank, `b${blank}`)).toMatchObject({ theirHunks: [[1, 800_000]], conflicts: [] });
});
