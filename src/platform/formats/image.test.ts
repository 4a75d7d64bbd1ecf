import sharp from 'sharp';
import { expect, test } from 'vitest';
import { prepareImage } from './image.js';

const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#3a7' } });

/** Noise can't be compressed, so the file is large. */
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: '#777', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  });

const withoutSharp = async () => undefined;

test('keeps a small image unchanged', async () => {
  const bytes = await plain(200, 100).png().toBuffer();
  const size = { width: 200, height: 100 };
  expect(await prepareImage(bytes, 'image/png')).toEqual({
    mediaType: 'image/png',
    bytes,
    original: size,
    shown: size,
  });
});

test('scales a large image down, keeps its proportions, and reports both sizes', async () => {
  const prepared = await prepareImage(await plain(4_000, 3_000).png().toBuffer(), 'image/png');
  expect([prepared.original, prepared.shown]).toEqual([
    { width: 4_000, height: 3_000 },
    { width: 1_568, height: 1_176 },
  ]);
  expect(await sharp(prepared.bytes).metadata()).toMatchObject({ format: 'png', width: 1_568, height: 1_176 });
});

test('re-encodes a large image in 500,000 bytes or fewer', async () => {
  const bytes = await noise(1_500, 1_500).png().toBuffer();
  expect(bytes.length).toBeGreaterThan(3_932_160);
  const prepared = await prepareImage(bytes, 'image/png');
  expect(prepared.bytes.length).toBeLessThanOrEqual(500_000);
  expect(prepared).toMatchObject({ mediaType: 'image/jpeg', shown: { width: 1_500, height: 1_500 } });
});

test.each([
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
] as const)('scales a %s too', async (format, mediaType) => {
  const prepared = await prepareImage(await plain(3_000, 10).toFormat(format).toBuffer(), mediaType);
  expect(prepared.shown).toEqual({ width: 1_568, height: 5 });
});

test('keeps a side of one pixel when the other side shrinks', async () => {
  const prepared = await prepareImage(await plain(9_000, 1).png().toBuffer(), 'image/png');
  expect(prepared.shown).toEqual({ width: 1_568, height: 1 });
});

test('rotates a photograph as its orientation says', async () => {
  const bytes = await plain(200, 100).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  expect(await prepareImage(bytes, 'image/jpeg')).toMatchObject({
    original: { width: 100, height: 200 },
    shown: { width: 100, height: 200 },
  });
});

test('refuses an image that is truncated, damaged inside, or without pixels', async () => {
  const png = await noise(300, 300).png().toBuffer();
  await expect(prepareImage(png.subarray(0, 20_000), 'image/png')).rejects.toThrow(
    'is not a whole PNG image (it ends before its picture does, after 20000 bytes)',
  );
  await expect(prepareImage(png.subarray(0, 10), 'image/png')).rejects.toThrow('its header is damaged or cut off');
  const damaged = Buffer.from(png);
  damaged.fill(0, 1_000, 3_000);
  await expect(prepareImage(damaged, 'image/png')).rejects.toThrow(/is not a whole PNG image \(it can't be unpacked: /);
  const flat = Buffer.from(png);
  flat.writeUInt32BE(0, 20);
  await expect(prepareImage(flat, 'image/png')).rejects.toThrow('its header says 300×0 pixels');
});

test('does not decode an image that claims an absurd number of pixels', async () => {
  const bomb = Buffer.from(await plain(10, 10).png().toBuffer());
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  await expect(prepareImage(bomb, 'image/png')).rejects.toThrow(/60000×60000 pixels in \d+ bytes, more than/);
});

test('without the scaling library, accepts images within the limits and says what to install for others', async () => {
  const small = await plain(2_000, 1_000).png().toBuffer();
  expect((await prepareImage(small, 'image/png', withoutSharp)).bytes).toBe(small);
  for (const large of [plain(9_000, 10), noise(1_500, 1_500)]) {
    await expect(prepareImage(await large.png().toBuffer(), 'image/png', withoutSharp)).rejects.toThrow(
      /the package "sharp" is not installed: ask the user to install it/,
    );
  }
});
