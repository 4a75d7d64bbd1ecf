import { expect, test } from 'vitest';
import { WindowTitle } from './window-title.js';

function titled(env: Record<string, string> = {}) {
  const written: string[] = [];
  const title = new WindowTitle({ write: (text) => written.push(text), env, folder: 'tally' });
  return { title, written };
}

test('shows the folder, then the task with its state, and restores the title at the end', () => {
  const { title, written } = titled();
  title.start();
  title.task = 'Fix the test\nand more';
  title.state = 'working';
  title.state = 'working';
  title.state = 'asking';
  title.state = 'done';
  title.state = 'failed';
  title.stop();
  title.stop();
  expect(written).toEqual([
    '\u001b[22;0t',
    '\u001b]2;helve · tally\u0007',
    '\u001b]2;helve · Fix the test\u0007',
    '\u001b]2;● helve · Fix the test\u0007',
    '\u001b]2;? helve · Fix the test\u0007',
    '\u001b]2;✓ helve · Fix the test\u0007',
    '\u001b]2;✗ helve · Fix the test\u0007',
    '\u001b]2;\u0007\u001b[23;0t',
  ]);
});

test('a task cannot end the sequence, and a long one is cut', () => {
  const { title, written } = titled();
  title.start();
  title.task = `a\u0007\u001b]0;b ${'long '.repeat(20)}`;
  const [last = ''] = written.slice(-1);
  expect(last.startsWith('\u001b]2;helve · a  ]0;b long ')).toBe(true);
  expect(last.endsWith('…\u0007')).toBe(true);
  expect(last.length).toBeLessThan(70);
});

test('can be turned off', () => {
  const { title, written } = titled({ HELVE_TITLE: 'off' });
  title.start();
  title.task = 'x';
  title.stop();
  expect(written).toEqual([]);
});
