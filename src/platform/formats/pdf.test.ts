import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openPdf } from './pdf.js';

/** A PDF of one page, with compressed content. */
function pdfOf(content: string): Uint8Array {
  const packed = deflateSync(content);
  const objects: Buffer[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    packed,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ].map((body) =>
    typeof body === 'string'
      ? Buffer.from(body)
      : Buffer.concat([
          Buffer.from(`<< /Length ${body.length} /Filter /FlateDecode >>\nstream\n`),
          body,
          Buffer.from('\nendstream'),
        ]),
  );
  const pieces = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let size = pieces[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    const piece = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    offsets.push(size);
    pieces.push(piece);
    size += piece.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const end = `xref\n0 6\n0000000000 65535 f \n${rows}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${size}\n%%EOF`;
  return new Uint8Array(Buffer.concat([...pieces, Buffer.from(end)]));
}

const bomb = (): Uint8Array => pdfOf(`BT /F1 12 Tf ${'(aaaaaaaa) Tj '.repeat(2_000_000)} ET`);

test('returns the text of a page', async () => {
  const pdf = await openPdf(pdfOf('BT /F1 12 Tf (Hello) Tj ET'));
  expect([pdf.pages, await pdf.textOf(1)]).toEqual([1, 'Hello']);
  await pdf.close();
});

test('rejects a file that decompresses to more than the memory limit, before it is parsed', async () => {
  const bytes = pdfOf(`BT ${' '.repeat(60_000_000)} ET`);
  const opening = openPdf(bytes, { limits: { unpackedBytes: 50_000_000 } });
  await expect(opening).rejects.toThrow('needs more than 50 MB of memory');
});

test('aborts a file that takes too long', async () => {
  const reading = openPdf(bomb(), { limits: { stepMs: 0 } });
  await expect(reading).rejects.toThrow('takes more than 0 s for one step');
});

test('an interrupt stops it in the middle of a page', async () => {
  const stop = new AbortController();
  const pdf = await openPdf(bomb(), { signal: stop.signal });
  const text = pdf.textOf(1);
  stop.abort(new Error('Interrupted.'));
  await expect(text).rejects.toThrow('Interrupted.');
  await pdf.close();
});
