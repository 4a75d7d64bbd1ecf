import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { fileKind } from '../files/file-kind.js';
import { hasImageEnd, measureImage } from './image-size.js';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#3a7' } });

const formats = {
  png: () => picture(37, 21).png().toBuffer(),
  jpeg: () => picture(37, 21).jpeg().toBuffer(),
  'progressive jpeg': () => picture(37, 21).jpeg({ progressive: true }).toBuffer(),
  'jpeg with much metadata': () =>
    picture(37, 21)
      .withExif({ IFD0: { Copyright: 'c'.repeat(20_000) } })
      .jpeg()
      .toBuffer(),
  gif: () => picture(37, 21).gif().toBuffer(),
  'lossy webp': () => picture(37, 21).webp().toBuffer(),
  'lossless webp': () => picture(37, 21).webp({ lossless: true }).toBuffer(),
  'extended webp': () =>
    picture(37, 21)
      .withExif({ IFD0: { Copyright: 'c' } })
      .webp()
      .toBuffer(),
};

function measured(bytes: Buffer) {
  const kind = fileKind(bytes);
  return kind.kind === 'image'
    ? { size: measureImage(bytes, kind.mediaType), whole: hasImageEnd(bytes, kind.mediaType) }
    : undefined;
}

test.each(Object.entries(formats))('measures a %s and finds its end', async (_, make) => {
  expect(measured(await make())).toEqual({ size: { width: 37, height: 21 }, whole: true });
});

test.each(Object.entries(formats))('detects that a %s is truncated', async (_, make) => {
  const bytes = await make();
  expect(measured(bytes.subarray(0, bytes.length - 12))?.whole).toBe(false);
});

test('never fails on bytes that only start like an image', () => {
  const starts = [
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8\xff',
    'GIF89a',
    'RIFF\x00\x00\x00\x00WEBPVP8L',
    'RIFF\x00\x00\x00\x00WEBPVP8X',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 60 }), (start, rest) => {
      const size = measured(Buffer.concat([Buffer.from(start, 'latin1'), rest]))?.size;
      expect(size === undefined || (size.width >= 0 && size.height >= 0)).toBe(true);
    }),
  );
});
