import { truncate } from 'node:fs/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { ContentBlock } from '../contract/message.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { notebookEditTool } from './notebook-edit.js';
import { notebookReadTool } from './notebook-read.js';
import { readTool } from './read.js';
import { writeTool } from './write.js';

const cells = [
  { cell_type: 'markdown', id: 'intro', metadata: {}, source: ['# Title\n', 'Some text'] },
  {
    cell_type: 'code',
    execution_count: 3,
    id: 'calc',
    metadata: { tags: ['x'] },
    outputs: [
      { name: 'stdout', output_type: 'stream', text: ['one\n', 'two\n'] },
      { data: { 'text/plain': ['42'] }, execution_count: 3, metadata: {}, output_type: 'execute_result' },
    ],
    source: ['print(1)\n', '42'],
  },
];

const notebookOf = (
  list: readonly object[],
  { indent = 1 as number | string, minor = 5 }: { indent?: number | string; minor?: number } = {},
): string =>
  `${JSON.stringify(
    {
      cells: list,
      metadata: { kernelspec: { name: 'python3' }, language_info: { name: 'python' } },
      nbformat: 4,
      nbformat_minor: minor,
    },
    undefined,
    indent,
  )}\n`;

const textOf = (content: string | ContentBlock[]): string =>
  typeof content === 'string'
    ? content
    : content.map((block) => (block.type === 'text' ? block.text : '[image]')).join('\n');

async function projectWith(json: string) {
  const project = await temporaryProject({ 'a.ipynb': json });
  return {
    ...project,
    read: async (input: object = {}) =>
      textOf((await project.run(readTool, { file_path: 'a.ipynb', ...input })).content),
    edit: async (input: object) => {
      const { content, failure } = await project.run(notebookEditTool, { notebook_path: 'a.ipynb', ...input });
      return { content: textOf(content), failure };
    },
  };
}

test('Read shows the cells of a notebook with ids, types and outputs', async () => {
  const { read } = await projectWith(notebookOf(cells));
  expect(await read()).toBe(
    [
      'a.ipynb: notebook in python, 2 cells',
      '<cell id="intro" type="markdown">\n# Title\nSome text\n</cell>',
      '<cell id="calc" type="code" execution_count="3">\nprint(1)\n42\n</cell>',
      '<output>\none\ntwo\n</output>',
      '<output>\n42\n</output>',
    ].join('\n'),
  );
});

test('refers to cells without ids, or with duplicate ids, by their position', async () => {
  const plain = { cell_type: 'markdown', metadata: {}, source: 'x' };
  const { read } = await projectWith(
    notebookOf([plain, { ...plain, id: 'same' }, { ...plain, id: 'same' }], { minor: 4 }),
  );
  expect((await read()).match(/id="[^"]+"/g)).toEqual(['id="cell-0"', 'id="cell-1"', 'id="cell-2"']);
});

test('shows errors without colours and the last state of a progress bar, and names outputs that it cannot show', async () => {
  const outputs = [
    {
      output_type: 'error',
      ename: 'ValueError',
      evalue: 'bad',
      traceback: ['\u001b[0;31mValueError\u001b[0m: bad', 'line 2'],
    },
    { output_type: 'stream', name: 'stderr', text: ' 1%\r 50%\r100%\ndone\r\n' },
    { output_type: 'display_data', metadata: {}, data: { 'application/vnd.jupyter.widget-view+json': {} } },
  ];
  const { read } = await projectWith(notebookOf([{ ...cells[1], outputs }]));
  expect((await read()).split('</cell>\n')[1]).toBe(
    '<output type="error">\nValueError: bad\nline 2\n</output>\n<output>\n100%\ndone\n</output>\n(output not shown: application/vnd.jupyter.widget-view+json)',
  );
});

test('shows images in outputs as images, scaled down, and explains a broken one', async () => {
  const picture = (width: number) =>
    sharp({ create: { width, height: 40, channels: 3, background: '#3a7' } })
      .png()
      .toBuffer();
  const image = (base64: string) => ({
    output_type: 'display_data',
    metadata: {},
    data: { 'image/png': base64, 'text/plain': '<Figure>' },
  });
  const large = (await picture(3_000)).toString('base64');
  const small = await picture(40);
  const outputs = [image(`${large}\n`), image(small.subarray(0, 70).toString('base64')), image('bm90IGFuIGltYWdl')];
  const project = await temporaryProject({ 'a.ipynb': notebookOf([{ ...cells[1], outputs }]) });
  const { content } = await project.run(readTool, { file_path: 'a.ipynb' });
  if (typeof content === 'string' || content[1]?.type !== 'image') throw new Error('an image is expected second');
  const shown = await sharp(Buffer.from(content[1].source.data, 'base64')).metadata();
  expect([shown.width, content.length]).toEqual([1_568, 3]);
  expect(textOf(content.slice(2))).toMatch(
    /^\(the image in this output is not a whole PNG image .*\)\n\(output said to be image\/png is not an image\)$/,
  );
});

test('truncates long outputs, stops at a cell before the result gets too long, and says so', async () => {
  const outputs = [{ output_type: 'stream', name: 'stdout', text: 'x'.repeat(60_000) }];
  const long = Array.from({ length: 30 }, (_, index) => ({ ...cells[1], id: `c${index}`, outputs }));
  const { read } = await projectWith(notebookOf(long));
  const answer = await read();
  expect(answer).toContain('\n[cut: the output has 60000 characters]\n');
  expect(answer.length).toBeLessThan(readTool.maxResultChars);
  const { read: readSources } = await projectWith(
    notebookOf(long.map((cell) => ({ ...cell, source: 'y'.repeat(30_000) }))),
  );
  expect(await readSources()).toMatch(
    /\(PARTIAL view: 2 of 30 cells\. Read the others one by one with NotebookRead and cell_id, from "c2" on, or the raw text with offset and limit\.\)$/,
  );
});

test('explains invalid JSON, other JSON and the old format, and shows the raw text on request', async () => {
  const project = await temporaryProject({
    'broken.ipynb': '{"cells": [',
    'other.ipynb': '{"a": 1}',
    'old.ipynb': '{"nbformat": 3, "worksheets": []}',
    'empty.ipynb': '',
  });
  const words = async (file_path: string, input = {}) => (await project.run(readTool, { file_path, ...input })).content;
  expect(await words('broken.ipynb')).toMatch(
    /^broken.ipynb is not a notebook: its content is not valid JSON \(.+\)\. Read it with offset 1/,
  );
  expect(await words('other.ipynb')).toMatch(/^other.ipynb is valid JSON, but not a notebook \(nbformat: /);
  expect(await words('old.ipynb')).toMatch(/^old.ipynb is a notebook in the old format 3, and formats from 4 on/);
  expect(await words('empty.ipynb')).toBe('<system-reminder>empty.ipynb exists, but it is empty.</system-reminder>');
  expect(await words('broken.ipynb', { offset: 1 })).toBe('1\t{"cells": [');
});

test('refuses a notebook over 100 MB', async () => {
  const project = await temporaryProject({ 'a.ipynb': notebookOf(cells) });
  await truncate(project.path('a.ipynb'), 100_000_001);
  expect(await project.run(readTool, { file_path: 'a.ipynb' })).toMatchObject({
    content: expect.stringMatching(
      /^a.ipynb is a notebook of 100000001 bytes, more than the 100000000 that are loaded/,
    ),
    failure: 'check_refused',
  });
});

test('NotebookRead shows all cells or one, and suggests similar ids for an unknown cell', async () => {
  const project = await temporaryProject({ 'a.ipynb': notebookOf(cells), 'a.txt': 'x' });
  const words = async (input: object) =>
    textOf((await project.run(notebookReadTool, { notebook_path: 'a.ipynb', ...input })).content);
  expect(await words({})).toContain('<cell id="calc"');
  expect(await words({ cell_id: 'intro' })).toBe(
    'a.ipynb: notebook in python, 2 cells\n<cell id="intro" type="markdown">\n# Title\nSome text\n</cell>',
  );
  expect(await words({ cell_id: 'cell-0' })).toBe(await words({ cell_id: 'intro' }));
  expect(await words({ cell_id: 'clac' })).toBe('a.ipynb has no cell "clac". Did you mean "calc"?');
  expect(await words({ cell_id: 'cell-9' })).toBe('a.ipynb has no cell "cell-9". Its cells are intro, calc.');
  expect(await words({ notebook_path: 'a.txt' })).toMatch(/^a.txt is not a notebook/);
});

test('NotebookEdit replaces the source of a cell, clears its outputs, and leaves everything else unchanged', async () => {
  const { read, edit, text } = await projectWith(notebookOf(cells));
  await read();
  expect(await edit({ cell_id: 'calc', new_source: 'print(2)\n42' })).toEqual({
    content:
      'Replaced code cell calc of a.ipynb.\n\n--- a/a.ipynb#calc\n+++ b/a.ipynb#calc\n@@ -1,2 +1,2 @@\n-print(1)\n+print(2)\n 42\n\\ No newline at end of file',
    failure: undefined,
  });
  const [intro, calc] = cells;
  expect(await text('a.ipynb')).toBe(
    notebookOf([intro ?? {}, { ...calc, execution_count: null, outputs: [], source: ['print(2)\n', '42'] }]),
  );
});

test('an edited cell can be edited again without reading', async () => {
  const { read, edit, text } = await projectWith(notebookOf(cells));
  await read();
  await edit({ cell_id: 'calc', new_source: 'a' });
  expect((await edit({ cell_id: 'calc', new_source: 'b' })).failure).toBeUndefined();
  expect(await text('a.ipynb')).toContain('"b"');
  expect((await edit({ cell_id: 'calc', new_source: 'b' })).content).toBe(
    'The source of code cell calc of a.ipynb is as it was.',
  );
});

test('NotebookEdit inserts after a cell and at the beginning, with ids if the format requires them', async () => {
  const { read, edit, text } = await projectWith(notebookOf(cells));
  await read();
  const { content } = await edit({ edit_mode: 'insert', cell_id: 'intro', cell_type: 'code', new_source: 'x = 1' });
  const id = /^Inserted code cell ([0-9a-f]{8}) of a.ipynb\./.exec(content)?.[1];
  await edit({ edit_mode: 'insert', cell_type: 'markdown', new_source: 'First' });
  const after = JSON.parse(await text('a.ipynb'));
  expect(after.cells).toEqual([
    { cell_type: 'markdown', id: expect.stringMatching(/^[0-9a-f]{8}$/), metadata: {}, source: ['First'] },
    cells[0],
    { cell_type: 'code', execution_count: null, id, metadata: {}, outputs: [], source: ['x = 1'] },
    cells[1],
  ]);
  expect(await text('a.ipynb')).toBe(notebookOf(after.cells));
});

test('NotebookEdit adds no id if the format has none', async () => {
  const { read, edit, text } = await projectWith(notebookOf([], { minor: 4 }));
  await read();
  expect((await edit({ edit_mode: 'insert', cell_type: 'markdown', new_source: 'x' })).content).toMatch(
    /^Inserted markdown cell cell-0 of/,
  );
  expect(await text('a.ipynb')).toBe(
    notebookOf([{ cell_type: 'markdown', metadata: {}, source: ['x'] }], { minor: 4 }),
  );
});

test('NotebookEdit deletes a cell', async () => {
  const { read, edit, text } = await projectWith(notebookOf(cells));
  await read();
  expect((await edit({ edit_mode: 'delete', cell_id: 'cell-0' })).content).toMatch(
    /^Deleted markdown cell intro of a.ipynb\.\n\n.*\n-# Title\n/s,
  );
  expect(await text('a.ipynb')).toBe(notebookOf(cells.slice(1)));
});

test('NotebookEdit refuses a notebook that was not read, or has changed since', async () => {
  const { read, edit, write, text } = await projectWith(notebookOf(cells));
  expect(await edit({ cell_id: 'calc', new_source: 'x' })).toEqual({
    content: expect.stringMatching(/^a.ipynb has not been read in this session/),
    failure: 'check_refused',
  });
  await read();
  await write('a.ipynb', notebookOf(cells.slice(1)));
  expect(await edit({ cell_id: 'calc', new_source: 'x' })).toEqual({
    content: expect.stringMatching(
      /^a.ipynb changed on disk after it was read \(.*\), and its cells may be other ones now\. Nothing was written\. Read it again/,
    ),
    failure: 'check_refused',
  });
  expect(await text('a.ipynb')).toBe(notebookOf(cells.slice(1)));
});

test('a NotebookRead counts as reading', async () => {
  const { run, edit } = await projectWith(notebookOf(cells));
  await run(notebookReadTool, { notebook_path: 'a.ipynb', cell_id: 'calc' });
  expect((await edit({ cell_id: 'calc', new_source: 'x' })).failure).toBeUndefined();
});

test('NotebookEdit refuses ambiguous input, and says what is missing', async () => {
  const { read, edit } = await projectWith(notebookOf(cells));
  await read();
  expect((await edit({ new_source: 'x' })).content).toMatch(
    /^There is no cell_id, so it is not clear which cell of a.ipynb to replace/,
  );
  expect((await edit({ edit_mode: 'insert', new_source: 'x' })).content).toMatch(/without cell_type/);
  expect((await edit({ cell_id: 'clac', new_source: 'x' })).content).toBe(
    'a.ipynb has no cell "clac". Did you mean "calc"?',
  );
  expect((await edit({ notebook_path: 'a.py', cell_id: 'x', new_source: 'x' })).content).toMatch(
    /^a.py is not a notebook/,
  );
});

test('NotebookEdit asks before it writes a secret or hidden characters into a cell', async () => {
  const { read, engine } = await projectWith(notebookOf(cells));
  await read();
  const accepted = notebookEditTool.accept({
    notebook_path: 'a.ipynb',
    cell_id: 'calc',
    new_source: 'ok = 1\nsecret\u202e = 2',
  });
  if (!accepted.ok) throw new Error('the input is fine');
  const question = await accepted.call.validate(engine.contextFor('call', new AbortController().signal));
  expect(question?.ask).toMatch(/U\+202E at line 2 of cell calc of a.ipynb/);
});

test('NotebookEdit declares that it reads and writes the file', async () => {
  const project = await temporaryProject({ 'a.ipynb': notebookOf(cells) });
  const effects = await project.effects(notebookEditTool, { notebook_path: project.path('a.ipynb'), cell_id: 'x' });
  expect(effects).toMatchObject([
    { kind: 'file', access: 'read', real: project.path('a.ipynb') },
    { kind: 'file', access: 'write', real: project.path('a.ipynb') },
  ]);
  expect(await project.effects(notebookReadTool, { notebook_path: project.path('a.ipynb') })).toMatchObject([
    { kind: 'file', access: 'read', real: project.path('a.ipynb') },
  ]);
});

test('Write of a notebook that was shown as cells is refused with what to do instead', async () => {
  const notebook = '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}';
  const project = await temporaryProject({ 'a.ipynb': notebook });
  await project.run(readTool, { file_path: 'a.ipynb' });
  const write = async () => await project.run(writeTool, { file_path: 'a.ipynb', content: '{}' });
  expect((await write()).content).toMatch(/^a.ipynb was shown to you as cells, .* or Read it with offset 1 /);
  await project.run(readTool, { file_path: 'a.ipynb', offset: 1 });
  expect([(await write()).isError, await project.text('a.ipynb')]).toEqual([false, '{}']);
});
