import { closeSync, mkdtempSync, openSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hostLog } from './host-log.js';

function opened(): { path: string; descriptor: number } {
  const path = join(mkdtempSync(join(tmpdir(), 'helve-log-')), 'host.log');
  const descriptor = openSync(path, 'a');
  onTestFinished(() => closeSync(descriptor));
  return { path, descriptor };
}

test('a client that causes a line with each message does not fill the disk', () => {
  const { path, descriptor } = opened();
  const tell = hostLog(path, { descriptor });
  for (let count = 0; count < 5_000; count += 1) tell(`An answer came to no request: ${'x'.repeat(5_000)}`);
  expect(statSync(path).size).toBeLessThan(120_000);
  expect(readFileSync(path, 'utf8')).toContain('left out');
});

test('a full log begins again, and what was in it is kept once', () => {
  const { path, descriptor } = opened();
  const tell = hostLog(path, { descriptor, maxBytes: 100 });
  for (const word of ['one', 'two', 'three']) tell(word.repeat(30));
  expect(readFileSync(path, 'utf8')).toMatch(/three\n$/);
  expect(readFileSync(path, 'utf8')).not.toContain('two');
  expect(readFileSync(`${path}.old`, 'utf8')).toContain('two');
});

test('a log that can not be written is no reason to fail', () => {
  const tell = hostLog('/dev/full', { descriptor: openSync('/dev/full', 'a') });
  expect(() => tell('something')).not.toThrow();
});
