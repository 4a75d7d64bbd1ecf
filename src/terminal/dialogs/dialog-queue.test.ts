import { expect, test } from 'vitest';
import { Theme } from '../screen/theme.js';
import { ChoiceDialog } from './choice-dialog.js';
import { DialogQueue, type DialogQueueOptions } from './dialog-queue.js';
import { ScrollDialog } from './scroll-dialog.js';

const theme = new Theme({ name: 'none', depth: 'many' });
const never = new AbortController().signal;

/** A queue with its own clock: `pass` advances it and runs due callbacks. */
function queued(more: Partial<DialogQueueOptions> = {}) {
  let now = 0;
  let timers: Array<{ at: number; callback: () => void }> = [];
  const early: string[] = [];
  let changes = 0;
  const queue = new DialogQueue({
    theme,
    now: () => now,
    later: (milliseconds, callback) => {
      const timer = { at: now + milliseconds, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    onChange: () => {
      changes += 1;
    },
    onEarlyInput: (data) => early.push(data),
    ...more,
  });
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { callback } of due) callback();
  };
  const ask = (title: string, signal = never): Promise<string | undefined> =>
    queue.ask<string | undefined>(
      (answer) => new ChoiceDialog(theme, { title, items: [{ value: 'a' }, { value: 'b' }] }, answer),
      signal,
    );
  const draw = (): string => queue.render(60).join('\n');
  return { queue, ask, pass, draw, early, changes: () => changes };
}

test('a paste without brackets answers nothing, and goes to the editor', async () => {
  const { queue, ask, pass, draw, early } = queued();
  const one = ask('One');
  draw();
  pass(300);
  for (const key of ['\r', '1', ' ', 'a', '\r']) queue.handleInput(key);
  await Promise.resolve();
  expect(early).toEqual(['\r', '1', ' ', 'a', '\r']);
  queue.handleInput('1'); // input right after it belongs to it
  expect(early.at(-1)).toBe('1');
  pass(300);
  queue.handleInput('2');
  await Promise.resolve();
  pass(60);
  expect(await one).toBe('b');
});

test('one letter and Enter in one read answer nothing, and are not sent as a prompt', async () => {
  const { queue, ask, pass, draw, early } = queued();
  void ask('One');
  draw();
  pass(300);
  for (const key of ['1', '\r']) queue.handleInput(key);
  await Promise.resolve();
  expect(early).toEqual(['1']);
  expect(draw()).toContain('One');
});

test('arrow keys that arrive together each count', async () => {
  const { queue, ask, pass, draw } = queued();
  const one = ask('One');
  draw();
  pass(300);
  for (const key of ['\u001b[B', '\u001b[A', '\u001b[B']) queue.handleInput(key);
  await Promise.resolve();
  queue.handleInput('\r');
  await Promise.resolve();
  pass(60);
  expect(await one).toBe('b');
});

test.each([
  [['\r', '\r'], []],
  [['\u001b[B', '\r'], []],
  [['\u001bOB', '\r'], []],
  [
    ['1', '\u001b['],
    ['1', '\u001b['],
  ],
])('the keys %j in one read answer nothing', async (keys, kept) => {
  const { queue, ask, pass, draw, early } = queued();
  void ask('One');
  draw();
  pass(300);
  for (const key of keys) queue.handleInput(key);
  await Promise.resolve();
  pass(60);
  expect(early).toEqual(kept);
  expect(draw()).toContain('One');
});

test('a key that is followed at once by more input answers nothing', async () => {
  const { queue, ask, pass, draw, early } = queued();
  void ask('One');
  draw();
  pass(300);
  queue.handleInput('1');
  await Promise.resolve();
  pass(50); // the parser of keys gives up on an unfinished escape sequence
  queue.handleInput('\u001b');
  pass(60);
  expect(early).toEqual(['1', '\u001b']);
  expect(draw()).toContain('One');
});

test('keys that came too early and are not to be seen are not said to be kept', () => {
  const { queue, ask, pass, draw } = queued({ showsEarlyInput: () => false });
  void ask('One');
  draw();
  pass(100);
  queue.handleInput('1');
  expect(draw()).toContain('not answered: press the key again');
});

test('keys that came too early are said to be kept, until a key counts', async () => {
  const { queue, ask, pass, draw } = queued();
  const one = ask('One');
  draw();
  pass(100);
  queue.handleInput('1');
  expect(draw()).toContain('not answered: what you typed is kept below');
  pass(300);
  expect(draw()).toContain('not answered: what you typed is kept below');
  queue.handleInput('x'); // it is no choice
  await Promise.resolve();
  pass(60);
  expect(draw()).not.toContain('kept below');
  queue.handleInput('1');
  await Promise.resolve();
  pass(60);
  await one;
});

test('a key that is held down does not answer', async () => {
  const { queue, ask, pass, draw } = queued();
  const one = ask('One');
  draw();
  pass(300);
  for (const repeated of ['\u001b[50;1:2u', '\u001b[13;1:2u']) {
    queue.handleInput(repeated);
    await Promise.resolve();
  }
  expect(draw()).toContain('One');
  queue.handleInput('2');
  await Promise.resolve();
  pass(60);
  expect(await one).toBe('b');
});

test('shows one dialog after the other, in order of arrival', async () => {
  const { queue, ask, pass, draw } = queued();
  const [one, two] = [ask('One'), ask('Two')];
  expect(draw()).toContain('One');
  expect(draw()).not.toContain('Two');
  expect(queue.waiting).toBe(1);
  pass(300);
  expect(draw()).toContain('1 more question · ↑↓ enter to choose');
  queue.handleInput('\r');
  await Promise.resolve();
  pass(60);
  expect(await one).toBe('a');
  expect(draw()).toContain('Two');
  pass(300);
  queue.handleInput('2');
  await Promise.resolve();
  pass(60);
  expect(await two).toBe('b');
  expect(queue.render(60)).toEqual([]);
  expect(queue.current).toBeUndefined();
});

test('ignores keys until the dialog has been visible for a moment', async () => {
  const { queue, ask, pass, draw, early } = queued();
  const answer = ask('One');
  queue.handleInput('1'); // not drawn yet
  expect(draw().split('\n').at(-1)).toBe('…');
  pass(299);
  queue.handleInput('\r');
  expect(early).toEqual(['1', '\r']);
  pass(299);
  expect(draw().split('\n').at(-1)).toBe('…');
  pass(1);
  expect(draw().split('\n').at(-1)).toBe('↑↓ enter to choose · esc to cancel');
  queue.handleInput('2');
  await Promise.resolve();
  pass(60);
  expect(await answer).toBe('b');
});

test('waits for a pause in typing', () => {
  const { queue, ask, pass, draw, early } = queued();
  ask('One').catch(() => {});
  draw();
  for (const key of 'hello 1') {
    pass(120);
    queue.handleInput(key);
  }
  expect(early.join('')).toBe('hello 1');
  expect(queue.current).toBeDefined();
});

test('the key that answers one dialog does not answer the next', async () => {
  const { queue, ask, pass, draw } = queued();
  const [one, two] = [ask('One'), ask('Two')];
  draw();
  pass(300);
  queue.handleInput('\r');
  await Promise.resolve();
  pass(60);
  expect(await one).toBe('a');
  draw();
  queue.handleInput('\r');
  pass(300);
  queue.handleInput('2');
  await Promise.resolve();
  pass(60);
  expect(await two).toBe('b');
});

test('requests a redraw when it starts to accept keys', () => {
  const { ask, pass, draw, changes } = queued();
  ask('One').catch(() => {});
  draw();
  const before = changes();
  pass(300);
  expect(changes()).toBe(before + 1);
});

test('removes a dialog whose question was answered elsewhere', async () => {
  const { queue, ask, draw } = queued();
  const [first, second] = [new AbortController(), new AbortController()];
  const [one, two, three] = [ask('One', first.signal), ask('Two', second.signal), ask('Three')];
  second.abort(new Error('settled'));
  await expect(two).rejects.toThrow('settled');
  expect(draw()).toContain('One');
  first.abort(new Error('interrupted'));
  await expect(one).rejects.toThrow('interrupted');
  expect(draw()).toContain('Three');
  expect(queue.waiting).toBe(0);
  three.catch(() => {});
});

test('does not show a question that was already answered', async () => {
  const { queue, ask } = queued();
  await expect(ask('One', AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  expect(queue.current).toBeUndefined();
});

test('a question is shown before a text that is being read, and the text comes back after it', async () => {
  const { queue, ask, pass, draw } = queued();
  const facts = { title: 'Output', lines: () => ['a line'], rows: () => 20 };
  void queue.ask<undefined>((close) => new ScrollDialog(theme, facts, () => close(undefined)), never);
  expect(draw()).toContain('a line');
  const one = ask('One');
  void ask('Two');
  expect(draw()).toContain('One');
  pass(300);
  queue.handleInput('1');
  await Promise.resolve();
  pass(60);
  expect(await one).toBe('a');
  expect(draw()).toContain('Two');
  pass(300);
  queue.handleInput('2');
  await Promise.resolve();
  pass(60);
  await new Promise(setImmediate);
  expect(draw()).toContain('a line');
});

test('a question is shown before a list that the user has opened, which takes no key right after it', async () => {
  const { queue, ask, pass, draw } = queued();
  const facts = { title: 'Tasks', items: [{ value: 'a' }, { value: 'b' }], givesWay: true };
  const chosen = queue.ask<string | undefined>((answer) => new ChoiceDialog(theme, facts, answer), never);
  draw();
  pass(300);
  queue.handleInput('\u001b[B');
  await Promise.resolve();
  pass(60);
  const one = ask('One');
  expect(draw()).toContain('One');
  expect(queue.waiting).toBe(0); // the list asks nothing
  pass(300);
  queue.handleInput('1');
  await Promise.resolve();
  pass(60);
  expect(await one).toBe('a');
  await new Promise(setImmediate);
  expect(draw()).toMatch(/Tasks[\s\S]*❯ 2 {2}b/); // the selection was kept
  queue.handleInput('\r');
  await Promise.resolve();
  pass(60);
  expect(queue.current).toBeDefined();
  pass(300);
  queue.handleInput('\r');
  await Promise.resolve();
  pass(60);
  expect(await chosen).toBe('b');
});

test('a list shows its items as they are now, and closes once there are none', async () => {
  const { queue, draw } = queued();
  let items = [{ value: 'a', description: '1s' }, { value: 'b' }];
  const facts = { title: 'Tasks', items, latest: () => items };
  const chosen = queue.ask<string | undefined>((answer) => new ChoiceDialog(theme, facts, answer), never);
  items = [{ value: 'b' }, { value: 'a', description: '2s' }];
  expect(draw()).toMatch(/ {2}1 {2}b\n.*❯ 2 {2}a +2s/);
  items = [];
  draw();
  expect(await chosen).toBeUndefined();
});

test('in a narrow window, the number of waiting questions gives way to the keys', () => {
  const { queue, ask, pass } = queued();
  void ask('One');
  void ask('Two');
  queue.render(60);
  pass(300);
  const hint = (width: number): string => queue.render(width).at(-1) ?? '';
  expect(hint(60)).toMatch(/^1 more question · .* · esc to \w+$/);
  expect(hint(36)).toMatch(/^(?!1 more).* · esc to \w+$/);
});
