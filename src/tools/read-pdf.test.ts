import { truncate } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { readTool } from './read.js';

/**
 * A PDF with one page per text, written by hand: small, and readable in a failing test. An empty text is an empty page.
 */
function minimalPdf(texts: readonly string[], { trailer = '' }: { trailer?: string } = {}): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${texts.length} /Kids [${texts.map((_, index) => `${4 + index * 2} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...texts.flatMap((text, index) => {
      const lines = text.split('\n').map((line) => `(${line.replaceAll(/[\\()]/g, '\\$&')}) Tj T*`);
      const content = text === '' ? '' : `BT /F1 2 Tf 3 TL 20 700 Td ${lines.join(' ')} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

const pages = (count: number): string[] => Array.from({ length: count }, (_, index) => `This is page ${index + 1}`);

async function read(file: Buffer, input: object = {}) {
  const project = await temporaryProject({ 'a.pdf': file });
  const { content, failure } = await project.run(readTool, { file_path: 'a.pdf', ...input });
  return { content, failure };
}

test('returns the text of a short PDF, page by page', async () => {
  expect(await read(minimalPdf(['Hello, PDF\nSecond line', 'More']))).toEqual({
    content: '--- page 1 of 2 ---\nHello, PDF\nSecond line\n\n--- page 2 of 2 ---\nMore',
    failure: undefined,
  });
});

test('returns the requested pages, and says that there are more', async () => {
  expect((await read(minimalPdf(pages(30)), { pages: '2,29-30' })).content).toBe(
    '--- page 2 of 30 ---\nThis is page 2\n\n--- page 29 of 30 ---\nThis is page 29\n\n--- page 30 of 30 ---\nThis is page 30\n\n(a.pdf: PARTIAL view: 3 of 30 pages.)',
  );
});

test('returns ten pages by default; a longer PDF is refused with its page count and how to choose pages', async () => {
  expect((await read(minimalPdf(pages(10)))).content).toContain('This is page 10');
  expect(await read(minimalPdf(pages(11)))).toEqual({
    content:
      'a.pdf has 11 pages, and at most 10 are read without a choice of pages. Send the call again with the pages that you need, at most 20 at a time, for example pages: "1-11".',
    failure: 'check_refused',
  });
});

test('refuses invalid pages, with the number of pages', async () => {
  expect(await read(minimalPdf(pages(3)), { pages: '7' })).toEqual({
    content:
      'a.pdf was not read: there is no page 7: there are 3 pages. It has 3 pages; send for example pages: "1-3".',
    failure: 'check_refused',
  });
});

test('stops before the result gets too long and says how to continue', async () => {
  const long = Array.from({ length: 8 }, () => `${'word '.repeat(60)}\n`.repeat(50).trim());
  const { content } = await read(minimalPdf(long));
  expect(content.slice(-100)).toMatch(/PARTIAL view: 2 pages did not fit\. To continue, read with pages "7,8"\.\)$/);
  expect(content.length).toBeLessThan(readTool.maxResultChars);
});

test('reports pages without text as probably scanned', async () => {
  expect((await read(minimalPdf(['', 'Text']))).content).toContain(
    '(a.pdf: There is no text on page 1: probably a scan',
  );
  expect((await read(minimalPdf(['']))).content).toContain(
    '(no text)\n\n(a.pdf: No page shown has text: probably a scan',
  );
});

test('refuses a PDF that needs a password', async () => {
  const trailer = `/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >> /ID [<00> <00>]`;
  expect(await read(minimalPdf(['secret'], { trailer }))).toEqual({
    content: "a.pdf is encrypted and needs a password, so its text can't be read. Ask the user for a copy without one.",
    failure: 'check_refused',
  });
});

test('refuses a PDF that is damaged or too large to load', async () => {
  expect(await read(Buffer.from('%PDF-1.4\nnothing that makes sense'))).toEqual({
    content: expect.stringMatching(
      /^a.pdf is damaged, or not a PDF behind its first bytes \(it can't be read: .+\)\. Get or make/,
    ),
    failure: 'check_refused',
  });
  const project = await temporaryProject({ 'big.pdf': minimalPdf(['x']) });
  await truncate(project.path('big.pdf'), 200_000_000);
  expect((await project.run(readTool, { file_path: 'big.pdf' })).content).toMatch(
    /^big.pdf is a PDF of 200000000 bytes/,
  );
});

test('refuses pages for other files, and ignores an empty choice', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  expect(await project.run(readTool, { file_path: 'a.txt', pages: '1' })).toMatchObject({
    content:
      'a.txt is not a PDF, and pages is for PDF files alone. Send the call again without it; for a text file use offset and limit.',
    failure: 'check_refused',
  });
  expect((await project.run(readTool, { file_path: 'a.txt', pages: '' })).content).toBe('1\tone');
});
