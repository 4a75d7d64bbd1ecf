import { describe, expect, it } from 'vitest';
import { samePosition } from './line-rows.js';

describe('samePosition', () => {
  it('finds the place of a wrapped line by the letters before it', () => {
    expect(samePosition(['one two three', 'four'], ['one two', 'three four'], 1)).toEqual({ line: 1, column: 6 });
  });

  it('keeps the start of a line below one that is cut in a narrower window', () => {
    const before = [' helve', ' asks before it changes anything', '', ' / for commands · @ for files', ' more'];
    const now = [' helve', ' asks before it changes …', '', ' / for commands · @ for files', ' more'];
    expect(samePosition(before, now, 3)).toEqual({ line: 3, column: 0 });
    expect(samePosition(now, before, 4)).toEqual({ line: 4, column: 0 });
  });
});
