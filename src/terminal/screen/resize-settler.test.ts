import { expect, test } from 'vitest';
import { ResizeSettler, type WindowSize } from './resize-settler.js';

/** A window whose clock advances only on request. */
function windowOf(size: WindowSize) {
  let now = 0;
  let waiting: Array<{ at: number; callback: () => void }> = [];
  const settled: Array<[WindowSize, number | undefined]> = [];
  const asked: string[] = [];
  const window = new ResizeSettler({
    write: (text) => void asked.push(text),
    size: () => size,
    now: () => now,
    later(milliseconds, callback) {
      const entry = { at: now + milliseconds, callback };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((other) => other !== entry);
      };
    },
    onSettled: (...how) => void settled.push(how),
  });
  const pass = (milliseconds: number): void => {
    const end = now + milliseconds;
    for (;;) {
      const [next] = waiting.toSorted((a, b) => a.at - b.at);
      if (!next || next.at > end) break;
      waiting = waiting.filter((other) => other !== next);
      now = next.at;
      next.callback();
    }
    now = end;
  };
  return { window, settled, asked, pass };
}

test('queries the terminal once its size is stable, and not for each size of a drag', () => {
  const { window, settled, asked, pass } = windowOf({ width: 80, height: 24 });
  for (let step = 0; step < 4; step += 1) {
    window.changed();
    pass(20);
  }
  expect(asked).toEqual([]);
  pass(50);
  expect(asked).toHaveLength(1);
  expect(window.take('\u001b[8;24;80t')).toBe(true);
  expect(window.take('\u001b[5;1R')).toBe(true);
  expect(settled).toEqual([[{ width: 80, height: 24 }, 4]]);
  expect(window.isPending).toBe(false);
});

test('waits only briefly for a terminal that does not answer, and a late answer is not treated as a key', () => {
  const { window, settled, pass } = windowOf({ width: 80, height: 24 });
  window.changed();
  pass(1_000);
  expect(settled).toEqual([[{ width: 80, height: 24 }, undefined]]);
  expect(window.take('\u001b[5;1R')).toBe(true);
  expect(window.take('\u001b[5;1R')).toBe(false);
  expect(settled).toHaveLength(1);
});

test('waits for a terminal that reports another size, and then ignores its report', () => {
  const { window, settled, asked, pass } = windowOf({ width: 80, height: 24 });
  window.changed();
  for (let answers = 0; settled.length === 0 && answers < 20; answers += 1) {
    pass(50);
    window.take('\u001b[8;24;100t');
    window.take('\u001b[5;1R');
  }
  expect(settled).toEqual([[{ width: 80, height: 24 }, 4]]);
  const before = asked.length;
  window.changed();
  pass(50);
  window.take('\u001b[8;24;100t');
  window.take('\u001b[6;1R');
  expect(asked).toHaveLength(before + 1);
  expect(settled).toHaveLength(2);
});
