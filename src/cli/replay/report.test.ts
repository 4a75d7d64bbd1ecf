import { expect, test } from 'vitest';
import { replayLines } from './report.js';

test('names of tools and calls from a session are printed without control characters', () => {
  const hostile = 'NoSuch\u001b]0;title\u0007\u001b[2J\u009b\u202e';
  const lines = replayLines({
    session: 'id',
    title: hostile,
    root: '/p',
    tree: { state: 'as it is now', entries: 1, bytes: 1 },
    calls: 2,
    same: 0,
    alike: [],
    different: [{ call: hostile, tool: hostile, input: {}, diff: hostile }],
    notPlayed: [{ call: hostile, tool: hostile }],
    allowedAgain: [],
    sandbox: null,
    hasCommands: false,
    notes: [hostile],
    changedFiles: 0,
  } as unknown as Parameters<typeof replayLines>[0]); // only what the lines are made of
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
});
