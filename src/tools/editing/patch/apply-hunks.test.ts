import { expect, test } from 'vitest';
import { hashOf } from '../../../platform/crypto.js';
import type { LoadedText } from '../load-text.js';
import type { ChangedText } from '../match/edit-text.js';
import { applyHunks } from './apply-hunks.js';
import { type Hunk, parsePatch } from './patch-format.js';

const target = { path: '/a.txt', real: '/a.txt', shown: 'a.txt' };

const hunksOf = (...lines: string[]): readonly Hunk[] => {
  const [file] = parsePatch(['*** Begin Patch', '*** Update File: a.txt', ...lines, '*** End Patch'].join('\n'));
  return file?.type === 'update' ? file.hunks : [];
};

function applyTo(text: string, hunks: readonly Hunk[], signal = new AbortController().signal): Promise<ChangedText> {
  const bytes = Buffer.from(text);
  const hash = hashOf(bytes);
  const file: LoadedText = {
    bytes,
    text,
    format: { encoding: 'utf-8', bom: false },
    hash,
    modified: new Date(),
    names: 1,
  };
  return applyHunks(target, file, { hash, size: bytes.length, at: new Date(), lines: 'all' }, hunks, signal);
}

const numbered = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);

test('applies thousands of hunks at once', async () => {
  const hunks = hunksOf(...numbered.flatMap((line) => ['@@', `-${line}`, `+new ${line}`]));
  const { bytes, text, places } = await applyTo(numbered.join('\n'), hunks);
  expect(text.raw).toBe(numbered.map((line) => `new ${line}`).join('\n'));
  expect([bytes.toString(), places]).toEqual([text.raw, [[1, 2_000]]]);
});

test('notices a cancel while it searches for many hunks', async () => {
  const hunks = hunksOf(...numbered.flatMap((line) => ['@@', `-${line}`]));
  const cancel = new AbortController();
  const lookedAt: Hunk[] = [];
  const watched = hunks.map((hunk, index) => ({
    ...hunk,
    get changes() {
      lookedAt.push(hunk);
      if (index === 300) setImmediate(() => cancel.abort(new Error('cancelled')));
      return hunk.changes;
    },
  }));
  await expect(applyTo(numbered.join('\n'), watched, cancel.signal)).rejects.toThrow('cancelled');
  expect(lookedAt).not.toContain(hunks.at(-1));
});

test('gives up if the lines of many hunks occur too often', async () => {
  const text = `${'x\n'.repeat(100_000)}y\nx\n`;
  const hunks = hunksOf(...Array.from({ length: 2_000 }, () => ['@@ y', ' x']).flat());
  await expect(applyTo(text, hunks)).rejects.toThrow(
    /^The lines of the hunks occur so often in a\.txt that their places were not all found: hunk \d+ \(line \d+ of the patch\) is where 20000000 comparisons were reached\. Nothing was written\./,
  );
});

test('refuses a hunk that is not in the block of its @@ line and matches several places outside', async () => {
  const text = 'def a():\n    x = 1\n\ndef b():\n    y = 1\n\ndef c():\n    x = 1\n';
  const hunks = hunksOf('@@ def b():', '-    x = 1', '+    x = 2');
  await expect(applyTo(text, hunks)).rejects.toThrow(
    'the block of its @@ line (lines 4 to 5 of a.txt) has no such lines, and they occur 2 times outside of it (lines 2, 8). Nothing was written.',
  );
});
