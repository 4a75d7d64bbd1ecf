import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { Attachments } from './attachments.js';
import { clipboardImage } from './clipboard.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

async function opened() {
  const home = await mkdtemp(join(tmpdir(), 'helve-pictures-'));
  await writeFile(join(home, 'a.png'), Buffer.from(PIXEL, 'base64'));
  await writeFile(join(home, 'with space.png'), Buffer.from(PIXEL, 'base64'));
  await writeFile(join(home, 'words.png'), 'no picture at all');
  const problems: string[] = [];
  return { home, problems, attachments: new Attachments({ home, onProblem: (sentence) => problems.push(sentence) }) };
}

test('a pasted path of an image becomes a marker, and the image is sent with the text that has the marker', async () => {
  const { home, attachments } = await opened();
  expect(attachments.forPaste(join(home, 'a.png'))).toBe('[image #1] ');
  expect(attachments.forPaste('~/a.png')).toBe('[image #2] ');
  expect(attachments.forPaste(`'${join(home, 'with space.png')}'`)).toBe('[image #3] ');
  expect(attachments.forPaste(`${home}/with\\ space.png ${home}/a.png`)).toBe('[image #4] [image #5] ');
  expect(attachments.forPaste(pathToFileURL(join(home, 'with space.png')).href)).toBe('[image #6] ');
  const source = { type: 'base64', media_type: 'image/png', data: PIXEL };
  expect(await attachments.of('look at [image #3], [image #3] and [image #9]')).toEqual([{ type: 'image', source }]);
});

test('a path that is not an existing image stays text', async () => {
  const { home, attachments } = await opened();
  for (const text of ['a.png', `${home}/none.png`, `${home}/a.png and more`, `see ${home}/a.png`, '', 'words']) {
    expect(attachments.forPaste(text)).toBeUndefined();
  }
});

test('a file that is not an image is reported, and nothing is attached', async () => {
  const { attachments, problems } = await opened();
  const mark = attachments.forPaste('~/words.png') ?? '';
  expect(await attachments.of(mark)).toEqual([]);
  expect(problems).toEqual([
    'words.png is not a PNG, JPEG, GIF or WebP image, so it is not sent. [image #1] is ignored.',
  ]);
});

test.skipIf(process.platform === 'win32')(
  'the clipboard image comes from an available program, and a missing one is reported',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'helve-clipboard-'));
    const env = { PATH: folder, DISPLAY: ':0' };
    expect(await clipboardImage({ env, platform: 'linux' })).toEqual({
      problem: 'To paste images, install xclip. You can also paste the path of an image.',
    });
    const program = join(folder, 'xclip');
    await writeFile(
      program,
      `#!/bin/sh\nPATH=/usr/bin:/bin\n[ "$4" = image/png ] && printf '%s' ${PIXEL} | base64 -d\n`,
    );
    await chmod(program, 0o755);
    expect(await clipboardImage({ env, platform: 'linux' })).toEqual({ bytes: Buffer.from(PIXEL, 'base64') });
    await writeFile(program, '#!/bin/sh\necho "Error: target image/png not available" >&2; exit 1\n');
    expect(await clipboardImage({ env, platform: 'linux' })).toEqual({
      problem: 'There is no image in the clipboard.',
    });
    expect(await clipboardImage({ env: {}, platform: 'linux' })).toEqual({
      problem: 'There is no clipboard here: no display is set.',
    });
  },
);
