import { truncate } from 'node:fs/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { readTool } from './read.js';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#3a7' } });

test('shows a small image unchanged, with its size', async () => {
  const png = await picture(40, 30).png().toBuffer();
  const project = await temporaryProject({ 'a.png': png });
  expect((await project.run(readTool, { file_path: 'a.png' })).content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } },
    { type: 'text', text: '(a.png: PNG image, 40×30 pixels.)' },
  ]);
});

test('recognises an image by its bytes, not by its name', async () => {
  const project = await temporaryProject({ 'a.txt': await picture(40, 30).webp().toBuffer() });
  const { content } = await project.run(readTool, { file_path: 'a.txt' });
  expect(content).toMatchObject([
    { source: { media_type: 'image/webp' } },
    { text: '(a.txt: WebP image, 40×30 pixels.)' },
  ]);
});

test('scales a large image down and says how to map coordinates', async () => {
  const project = await temporaryProject({ 'a.jpg': await picture(4_000, 3_000).jpeg().toBuffer() });
  const { content, display } = await project.run(readTool, { file_path: 'a.jpg' });
  expect(content).toMatchObject([
    { type: 'image', source: { media_type: 'image/jpeg' } },
    {
      text: '(a.jpg: JPEG image, 4000×3000 pixels, shown as 1568×1176. Multiply coordinates by 2.551 to get those of the original.)',
    },
  ]);
  expect(display).toMatchObject({
    title: 'a.jpg',
    facts: [expect.stringMatching(/^JPEG, 4000×3000, \d+ bytes$/)],
    looks: 'read',
  });
});

test('refuses an image that is damaged or too large to load, by name and with the facts', async () => {
  const png = await picture(40, 30).png().toBuffer();
  const project = await temporaryProject({ 'cut.png': png.subarray(0, 60), 'huge.png': png });
  await truncate(project.path('huge.png'), 200_000_000);
  const words = async (file_path: string) => {
    const { content, failure } = await project.run(readTool, { file_path });
    return [failure, content];
  };
  expect(await words('cut.png')).toEqual([
    'check_refused',
    "cut.png is not a whole PNG image (it ends before its picture does, after 60 bytes), so it can't be shown. Get or make the file again, then read that.",
  ]);
  expect(await words('huge.png')).toEqual([
    'check_refused',
    'huge.png is an image of 200000000 bytes, more than the 100000000 that are loaded. Make a smaller copy, then read that.',
  ]);
});

test('shows an SVG as text', async () => {
  const project = await temporaryProject({ 'a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n' });
  expect((await project.run(readTool, { file_path: 'a.svg' })).content).toBe(
    '1\t<svg xmlns="http://www.w3.org/2000/svg"/>',
  );
});
