// Which blocks of a conversation are in the page: by their weight, since a long answer weighs more than a notice.
import type { Block } from './session-store.js';

const STEP = 50; // weight that is added at a time
const MOST = 160;
const CHARS = 1_000; // of text weigh as much as a short block

export interface BlockWindow {
  start: number;
  end: number;
}

type Blocks = readonly Block[];

const weightOf = (block: Block): number => {
  if (block.kind === 'calls') return block.calls.peek().length;
  return block.kind === 'entry' ? 1 : 1 + block.text.chars / CHARS;
};

/** The first block of those that end here. */
function startOf(blocks: Blocks, end: number, weight: number): number {
  let start = end;
  for (let sum = 0; start > 0 && sum < weight; ) {
    start -= 1;
    const block = blocks[start];
    if (block) sum += weightOf(block);
  }
  return start;
}

function endOf(blocks: Blocks, start: number, weight: number): number {
  let end = start;
  for (let sum = 0; end < blocks.length && sum < weight; end += 1) {
    const block = blocks[end];
    if (block) sum += weightOf(block);
  }
  return end;
}

export const lastWindow = (blocks: Blocks): BlockWindow => ({
  start: startOf(blocks, blocks.length, STEP),
  end: blocks.length,
});

export const windowAround = (blocks: Blocks, at: number): BlockWindow => ({
  start: startOf(blocks, at, STEP),
  end: endOf(blocks, at, STEP),
});

export function windowAbove(blocks: Blocks, { start, end }: BlockWindow): BlockWindow {
  const first = startOf(blocks, start, STEP);
  return { start: first, end: Math.min(end, Math.max(start, endOf(blocks, first, MOST))) };
}

export function windowBelow(blocks: Blocks, { start, end }: BlockWindow): BlockWindow {
  const last = endOf(blocks, end, STEP);
  return { start: Math.max(start, Math.min(end, startOf(blocks, last, MOST))), end: last };
}
