import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spliceText } from '../encodings/text-file.js';
import { editNotebook } from './notebook-edit.js';

const notebook = (cells: readonly object[]) => ({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 });
const code = (source: string | string[]) => ({
  cell_type: 'code',
  execution_count: 1,
  metadata: {},
  outputs: [{ output_type: 'stream', text: 'x' }],
  source,
});
const markdown = (source: string | string[]) => ({ cell_type: 'markdown', metadata: {}, source });

function edited(json: string, edit: Parameters<typeof editNotebook>[1]): string {
  return spliceText(json, editNotebook(json, edit).splices);
}

// How programs write JSON, each as a function of the value.
const styles: Readonly<Record<string, (value: unknown) => string>> = {
  'one blank': (value) => `${JSON.stringify(value, undefined, 1)}\n`,
  'two blanks, no last line end': (value) => JSON.stringify(value, undefined, 2),
  'four blanks': (value) => `${JSON.stringify(value, undefined, 4)}\n`,
  tabs: (value) => `${JSON.stringify(value, undefined, '\t')}\n`,
  'one line': (value) => JSON.stringify(value),
  'lines ended with \\r\\n': (value) => `${JSON.stringify(value, undefined, 1)}\n`.replaceAll('\n', '\r\n'),
};

test.each(Object.entries(styles))('writes every change in the formatting of the file: %s', (_, style) => {
  const before = [markdown(['a\n', 'b']), code(['c']), markdown(['d'])];
  const json = style(notebook(before));
  const fresh = { ...code(['x\n', 'y']), execution_count: null, outputs: [] };
  expect(edited(json, { mode: 'replace', cell: 'cell-1', source: 'x\ny' })).toBe(
    style(notebook(before.with(1, fresh))),
  );
  expect(edited(json, { mode: 'insert', cell: 'cell-2', source: 'x\ny', type: 'code' })).toBe(
    style(notebook([...before, fresh])),
  );
  expect(edited(json, { mode: 'insert', cell: undefined, source: '', type: 'markdown' })).toBe(
    style(notebook([markdown([]), ...before])),
  );
  for (const index of [0, 1, 2]) {
    expect(edited(json, { mode: 'delete', cell: `cell-${index}` })).toBe(style(notebook(before.toSpliced(index, 1))));
  }
  const single = style(notebook([markdown(['a'])]));
  expect(edited(single, { mode: 'delete', cell: 'cell-0' })).toBe(style(notebook([])));
  expect(edited(style(notebook([])), { mode: 'insert', cell: undefined, source: 'a', type: 'markdown' })).toBe(single);
});

test("keeps the spacing of Python's json in a file of one line", () => {
  const json =
    '{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["a"]}], "nbformat": 4, "nbformat_minor": 4}';
  expect(edited(json, { mode: 'insert', cell: 'cell-0', source: 'b\nc', type: 'markdown' })).toBe(
    json.replace('}]', '}, {"cell_type": "markdown", "metadata": {}, "source": ["b\\n", "c"]}]'),
  );
});

test('keeps a source that is a single string as such', () => {
  const json = styles['one blank']?.(notebook([markdown('a')])) ?? '';
  expect(edited(json, { mode: 'replace', cell: 'cell-0', source: 'b\nc' })).toBe(json.replace('"a"', '"b\\nc"'));
  expect(edited(json, { mode: 'insert', cell: 'cell-0', source: 'b', type: 'markdown' })).toContain('"source": "b"');
});

test('writes escapes if the file has escapes, and characters otherwise', () => {
  const json = '{"cells": [{"cell_type": "markdown", "metadata": {}, "source": "caf\\u00e9"}], "nbformat": 4}';
  const edit = { mode: 'replace', cell: 'cell-0', source: 'π👍' } as const;
  expect(edited(json, edit)).toContain('"source": "\\u03c0\\ud83d\\udc4d"');
  expect(edited(json.replace('\\u00e9', 'é'), edit)).toContain('"source": "π👍"');
});

test('keeps numbers, escapes and the order of keys outside of the change unchanged', () => {
  const json = '{"nbformat": 4, "x": 1.0, "y": 1e3, "cells": [{"source": "a", "z": "\\/", "cell_type": "markdown"}]}';
  expect(edited(json, { mode: 'replace', cell: 'cell-0', source: 'b' })).toBe(json.replace('"a"', '"b"'));
});

test('changes the type of a cell with its dependent fields', () => {
  const json = styles['one blank']?.(notebook([code(['a'])])) ?? '';
  const asMarkdown = edited(json, { mode: 'replace', cell: 'cell-0', source: 'b', type: 'markdown' });
  expect(asMarkdown).toBe(styles['one blank']?.(notebook([markdown(['b'])])));
  const asCode = edited(asMarkdown, { mode: 'replace', cell: 'cell-0', source: 'c', type: 'code' });
  expect(JSON.parse(asCode).cells).toEqual([
    { cell_type: 'code', metadata: {}, source: ['c'], outputs: [], execution_count: null },
  ]);
});

test('changes a duplicate source in both places, and refuses duplicate cells', () => {
  const json = '{"cells": [{"cell_type": "markdown", "source": "a", "source": "b"}], "nbformat": 4}';
  const edit = { mode: 'replace', cell: 'cell-0', source: 'c' } as const;
  expect(edited(json, edit)).toBe(json.replace('"a"', '"c"').replace('"b"', '"c"'));
  const list = (source: string) => `"cells": [{"cell_type": "markdown", "source": "${source}"}]`;
  expect(() => edited(`{${list('a')}, ${list('b')}, "nbformat": 4}`, edit)).toThrow(/^has a cell in an unusual form/);
});

test('refuses a notebook that is nested too deeply', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const json = `{"cells": [{"cell_type": "markdown", "source": "a"}], "x": ${deep}, "nbformat": 4}`;
  expect(() => edited(json, { mode: 'replace', cell: 'cell-0', source: 'b' })).toThrow(
    /nested too deeply|not valid JSON/,
  );
});

test('an edit changes only its cell, for any sources', () => {
  const source = fc.string({ unit: 'grapheme', maxLength: 30 });
  fc.assert(
    fc.property(
      fc.array(source, { minLength: 1, maxLength: 5 }),
      fc.nat(4),
      source,
      fc.constantFrom(...Object.values(styles)),
      (sources, at, fresh, style) => {
        const index = at % sources.length;
        const json = style(notebook(sources.map((one) => markdown(one))));
        const after = JSON.parse(edited(json, { mode: 'replace', cell: `cell-${index}`, source: fresh }));
        expect(after).toEqual(notebook(sources.with(index, fresh).map((one) => markdown(one))));
      },
    ),
  );
});
