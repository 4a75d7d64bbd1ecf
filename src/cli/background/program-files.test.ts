import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchProgramFiles } from './program-files.js';

test('a program whose file is written again, or removed, was replaced', () => {
  const folder = mkdtempSync(join(tmpdir(), 'program-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [path, next] = [join(folder, 'cli.cjs'), join(folder, 'next.cjs')];
  writeFileSync(path, 'old');
  const wasReplaced = watchProgramFiles(path);
  expect(wasReplaced()).toBe(false);
  writeFileSync(next, 'new');
  renameSync(next, path);
  expect(wasReplaced()).toBe(true);
  rmSync(path);
  expect(wasReplaced()).toBe(true);
});
