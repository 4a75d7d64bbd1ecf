import { chmodSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { makePipeFolder, mayBeReplacedIn } from './pipe-folder.js';

afterEach(() => void vi.unstubAllEnvs());

function placeOf(notInMemory: boolean): string {
  const folder = makePipeFolder(notInMemory);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  rmdirSync(folder);
  return dirname(folder);
}

test.runIf(process.platform === 'linux')('pipes are in memory, or in /tmp if memory was full', () => {
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) vi.stubEnv(name, undefined);
  expect(placeOf(false)).toBe('/dev/shm');
  expect(placeOf(true)).toBe('/tmp');
});

test.skipIf(process.platform === 'win32')('pipes are not where other users may replace them', () => {
  const place = mkdtempSync(join(tmpdir(), 'helve-pipes-'));
  const modes = [0o700, 0o1777, 0o777, 0o770];
  const seen = modes.map((mode) => {
    chmodSync(place, mode);
    return mayBeReplacedIn(place);
  });
  expect(seen).toEqual([false, false, true, true]);
  rmdirSync(place);
});

test('pipes are where the user wants temporary files to be', () => {
  const place = mkdtempSync(join(tmpdir(), 'helve-pipes-'));
  vi.stubEnv('TMPDIR', place);
  expect(placeOf(false)).toBe(place);
  rmdirSync(place);
});
