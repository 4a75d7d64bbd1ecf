import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readContent } from './plugin-content.js';

function folder(links: Readonly<Record<string, string>>): string {
  const root = join(mkdtempSync(join(tmpdir(), 'helve-content-')), 'plugin');
  mkdirSync(join(root, 'deep/er'), { recursive: true });
  writeFileSync(join(root, 'deep/file'), 'x');
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
  return root;
}

test('".." after a link to a folder is followed from the folder that the link leads to', async () => {
  const root = folder({ 'deep/er/top': '../..', notes: 'deep/er/top/../secret' });
  await expect(readContent(root)).rejects.toThrow('notes is a link to deep/er/top/../secret, which is outside');
});

test('links within the plugin are accepted, also through other links', async () => {
  const root = folder({ 'deep/er/up': '..', notes: 'deep/er/up/file', 'deep/er/top': '../../deep', gone: 'missing' });
  const { entries } = await readContent(root);
  expect(entries.filter(({ kind }) => kind === 'link')).toHaveLength(4);
});

test('links that lead to each other are refused', async () => {
  await expect(readContent(folder({ one: 'two', two: 'one' }))).rejects.toThrow('leads back to itself');
});
