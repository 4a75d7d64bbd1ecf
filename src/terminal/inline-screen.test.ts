import fc from 'fast-check';
import { expect, test } from 'vitest';
import { History } from './history.js';
import { InlineScreen } from './inline-screen.js';
import { TestScreen } from './test-screen.js';

/** A view whose lines are set from outside. */
class Lines {
  lines: string[] = [];
  render(): string[] {
    return [...this.lines];
  }
  invalidate(): void {}
}

function screenOf(columns: number, rows: number) {
  const terminal = new TestScreen(columns, rows);
  const tui = new InlineScreen(terminal);
  const view = new Lines();
  tui.addChild(view);
  const draw = (lines: readonly string[]): void => {
    view.lines = [...lines];
    tui.renderNow();
  };
  return { terminal, tui, draw, view };
}

const line = fc.stringMatching(/^[a-z]{1,6}$/);

test('the end of the tree stands on the screen, whatever it was before', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 3, max: 9 }),
      fc.array(fc.array(line, { minLength: 1, maxLength: 25 }), { minLength: 1 }),
      (rows, frames) => {
        const { terminal, draw } = screenOf(20, rows);
        for (const lines of frames) {
          draw(lines);
          const { screen } = terminal;
          expect(lines.slice(-screen.length)).toEqual(screen);
          expect(screen.length).toBeGreaterThanOrEqual(Math.min(lines.length, rows, 3));
        }
      },
    ),
  );
});

test('a tree that only grows is in the scrollback and on the screen once, in order', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 8 }),
      fc.array(fc.array(line, { minLength: 1, maxLength: 12 }), { minLength: 1 }),
      (rows, pieces) => {
        const { terminal, draw } = screenOf(20, rows);
        const all: string[] = [];
        for (const piece of pieces) {
          all.push(...piece);
          draw(all);
        }
        expect([...terminal.scrollback, ...terminal.screen]).toEqual(all);
      },
    ),
  );
});

test('a change of what has scrolled off is not painted, and what is below is', () => {
  const { terminal, draw } = screenOf(20, 4);
  draw(['one', 'two', 'three', 'four', 'five', 'six']);
  draw(['ONE', 'TWO', 'three', 'four', 'FIVE', 'six']);
  expect(terminal.scrollback).toEqual(['one', 'two']);
  expect(terminal.screen).toEqual(['three', 'four', 'FIVE', 'six']);
});

test('what stood in the terminal before stays', () => {
  const { terminal, draw } = screenOf(20, 4);
  terminal.write('$ ls\r\nfile\r\n$ helve\r\n');
  draw(['a', 'b']);
  draw(['a', 'b', 'c', 'd', 'e']);
  expect([...terminal.scrollback, ...terminal.screen]).toEqual(['$ ls', 'file', '$ helve', 'a', 'b', 'c', 'd', 'e']);
});

test('a resize paints what is on the screen, and leaves the scrollback alone', () => {
  const { terminal, draw } = screenOf(20, 4);
  const lines = ['one', 'two', 'three', 'four', 'five', 'six'];
  draw(lines);
  terminal.columns = 10;
  draw(lines);
  expect(terminal.scrollback).toEqual(['one', 'two']);
  expect(terminal.screen).toEqual(['three', 'four', 'five', 'six']);
});

test('a line that is too wide is cut, so that no other is pushed out of its place', () => {
  const { terminal, draw } = screenOf(6, 4);
  draw(['123456789', 'next']);
  expect(terminal.screen).toHaveLength(2);
  expect(terminal.screen[0]?.length).toBe(6);
});

test('printing again brings back what has scrolled off, from the line that was asked for', () => {
  const { terminal, draw, tui, view } = screenOf(20, 3);
  draw(['one', 'two', 'three', 'four', 'five']);
  view.lines = ['one', 'TWO', 'two and a half', 'three', 'four', 'five'];
  tui.printAgainFrom(1);
  tui.renderNow();
  expect([...terminal.scrollback, ...terminal.screen]).toEqual([
    'one',
    'two',
    'TWO',
    'two and a half',
    'three',
    'four',
    'five',
  ]);
});

test('views that have long scrolled off are let go, and nothing on the screen moves', () => {
  const terminal = new TestScreen(20, 5);
  const tui = new InlineScreen(terminal);
  const history = new History();
  tui.addChild(history);
  tui.onPainted = (above) => history.scrolled(above);
  const said: string[] = [];
  for (let number = 0; number < 2_000; number += 1) {
    const view = new Lines();
    view.lines = [`line ${number}`];
    said.push(`line ${number}`);
    history.add(view);
    tui.renderNow();
  }
  expect([...terminal.scrollback, ...terminal.screen]).toEqual(said);
  expect(history.views.length).toBeLessThan(700);
});

test('a view that changes its height above the screen takes no line of others away, and adds none', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 3, max: 8 }),
      fc.array(fc.tuple(fc.array(line, { maxLength: 12 }), fc.nat({ max: 4 })), { minLength: 1 }),
      (rows, steps) => {
        const terminal = new TestScreen(20, rows);
        const tui = new InlineScreen(terminal);
        const history = new History();
        tui.addChild(history);
        tui.onPainted = (above) => history.scrolled(above);
        const changing = new Lines();
        changing.lines = ['head'];
        const settle = history.add(changing, { isLive: true });
        const below = new Lines();
        history.add(below, { isLive: true });
        below.lines = Array.from({ length: rows }, (_, number) => `first ${number}`);
        tui.renderNow(); // so that the one that changes is above
        for (const [lines, more] of steps) {
          changing.lines = [...lines];
          for (let added = 0; added < more; added += 1) below.lines.push(`more ${below.lines.length}`);
          tui.renderNow();
        }
        settle();
        tui.renderNow();
        expect([...terminal.scrollback, ...terminal.screen]).toEqual(['head', ...below.lines]);
      },
    ),
  );
});
