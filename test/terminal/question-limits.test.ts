// Questions about large changes, and in small windows, in a real terminal.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const done = { text: 'All done.' };
const READY = /(?:choose|letter|for more|go on) · esc to stop/;
const exists = async (path: string): Promise<boolean> =>
  await access(path).then(
    () => true,
    () => false,
  );

describe.skipIf(whyNoTmux !== undefined)('the limits of questions', () => {
  test('a large new file can be read to its end before it is approved', async () => {
    const content = Array.from({ length: 2_000 }, (_, index) => `line ${index} of a file that is large`).join('\n');
    const { terminal, say } = await converse([
      { calls: [{ name: 'Write', input: { file_path: 'a.txt', content } }] },
      done,
    ]);
    await say('go');
    const asked = await terminal.shows(READY);
    expect(asked).toContain('line 0 of a file that is large');
    expect(asked).not.toContain('too large');
    expect(asked).toMatch(/lines 1–\d+ of 200\d · pgdn for more/);
    await terminal.press('PPage');
    await terminal.press('NPage');
    await terminal.shows(/lines (?!1–)\d+–\d+ of 200\d/);
  });

  test('in a window of 40 by 10, the command is visible and Enter does not run it', async () => {
    const command = 'touch made.txt && echo one && echo two';
    const { terminal, say } = await converse(
      [{ calls: [{ name: 'Bash', input: { command, description: 'Run the tests' } }] }, done],
      { columns: 40, rows: 10 },
    );
    await say('go');
    const asked = await terminal.shows(/y Yes · n No/);
    expect(asked).toContain('— run this command?');
    expect(asked).toContain('touch made.txt');
    await terminal.shows('y, n or m · esc to stop');
    await terminal.press('Enter');
    await terminal.shows('enter does nothing here');
    expect(await exists(join(terminal.project, 'made.txt'))).toBe(false);
    await terminal.type('y');
    await terminal.shows('All done.');
    expect(await exists(join(terminal.project, 'made.txt'))).toBe(true);
  });
});
