import { type Component, CURSOR_MARKER, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ResizeBehaviour, TestScreen } from '../test-screen.js';
import { History } from './history.js';
import { InlineScreen } from './inline-screen.js';

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

test('the end of the tree is on the screen, for any earlier content', () => {
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

test('a change of lines that have scrolled off is not painted, and lines below are', () => {
  const { terminal, draw } = screenOf(20, 4);
  draw(['one', 'two', 'three', 'four', 'five', 'six']);
  draw(['ONE', 'TWO', 'three', 'four', 'FIVE', 'six']);
  expect(terminal.scrollback).toEqual(['one', 'two']);
  expect(terminal.screen).toEqual(['three', 'four', 'FIVE', 'six']);
});

test('earlier content of the terminal stays', () => {
  const { terminal, draw } = screenOf(20, 4);
  terminal.write('$ ls\r\nfile\r\n$ helve\r\n');
  draw(['a', 'b']);
  draw(['a', 'b', 'c', 'd', 'e']);
  expect([...terminal.scrollback, ...terminal.screen]).toEqual(['$ ls', 'file', '$ helve', 'a', 'b', 'c', 'd', 'e']);
});

/** A screen with a history above and two fixed lines below, in a window that can be resized. */
function conversationOn(columns: number, rows: number, manners: ResizeBehaviour = {}) {
  const terminal = new TestScreen(columns, rows, manners);
  const waiting: Array<() => void> = [];
  const tui = new InlineScreen(terminal, {
    now: () => 0,
    later: (_, callback) => {
      waiting.push(callback);
      return () => void waiting.splice(waiting.indexOf(callback) >>> 0, 1);
    },
  });
  const history = new History();
  const question: string[] = [];
  const below: Component = {
    render: (width) => ['─'.repeat(width), ...question, `> ${CURSOR_MARKER}`, 'status'.padEnd(width)],
    invalidate: () => {},
  };
  tui.addChild(history);
  tui.addChild(below);
  tui.onPainted = (above) => history.scrolled(above);
  tui.lastingLines = () => history.lineCount;
  tui.onResized = (line) => history.positionOf(line);
  tui.start();
  tui.renderNow();
  return {
    terminal,
    /** Shows these lines above the prompt, until there are others. */
    ask(lines: readonly string[]) {
      question.splice(0, question.length, ...lines);
      tui.renderNow();
    },
    say(text: string) {
      history.add({
        render: (width) => wrapTextWithAnsi(text, width).map((line) => line + ' '.repeat(width - visibleWidth(line))),
        invalidate: () => {},
      });
      tui.renderNow();
    },
    resize(newColumns: number, newRows: number) {
      terminal.resize(newColumns, newRows);
      tui.renderNow();
    },
    end: () => tui.stop(),
    /** Advances the time until nothing is pending. */
    settle() {
      for (let callback = waiting.shift(); callback; callback = waiting.shift()) callback();
    },
  };
}

const size = fc.tuple(fc.integer({ min: 12, max: 60 }), fc.integer({ min: 6, max: 20 }));
const manners = fc.record({ givesUpEmptyRows: fc.boolean(), takesBack: fc.boolean(), isMute: fc.boolean() });
const signs = ['', '漢字', '👩‍👩‍👧', 'שלום', 'e\u0301', 'ｗ'];

test('after any number of resizes, each word is there once and in order', () => {
  const step = fc.tuple(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 5 }), size, fc.boolean());
  fc.assert(
    fc.property(size, manners, fc.array(step, { maxLength: 8 }), (first, kind, steps) => {
      const { terminal, say, resize, settle, end } = conversationOn(...first, kind);
      const said: string[] = [];
      for (const [paragraphs, [columns, rows], isQuiet] of steps) {
        for (const count of paragraphs) {
          const words = Array.from({ length: count }, (_, index) => `w${said.length + index}`);
          said.push(...words);
          say(words.map((word, index) => `${word}${signs[index % signs.length]}`).join(' '));
        }
        resize(columns, rows);
        if (isQuiet) settle();
      }
      settle();
      say('last');
      const seen = terminal.text.flatMap((text) => text.match(/w\d+|last/g) ?? []);
      // If a terminal does not report its cursor, part of the screen may be duplicated in its scrollback.
      expect(kind.isMute ? [...new Set(seen)] : seen).toEqual([...said, 'last']);
      expect(terminal.screen.slice(-3).map((text) => text[0])).toEqual(['─', '>', 's']);
      end();
    }),
  );
});

test('a part of a question that a smaller window has pushed off is gone once the window has its size again', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 12 }),
      fc.tuple(fc.constant(60), fc.integer({ min: 6, max: 19 })), // lines that wrap in a narrower window may stay
      fc.boolean(),
      (before, [columns, rows], isAnsweredSmall) => {
        const { terminal, say, ask, resize, settle, end } = conversationOn(60, 20);
        for (let index = 0; index < before; index += 1) say(`w${index}`);
        ask(Array.from({ length: 15 }, (_, index) => `part ${index}`));
        resize(columns, rows);
        ask(Array.from({ length: rows - 5 }, (_, index) => `part ${index}`));
        settle();
        if (isAnsweredSmall) ask([]);
        resize(60, 20);
        settle();
        ask([]);
        say('last');
        const seen = terminal.text.flatMap((text) => text.match(/w\d+|last|part/g) ?? []);
        const expected = [...Array.from({ length: before }, (_, index) => `w${index}`), 'last'];
        // A small window that became nearly empty was filled up with earlier lines.
        expect(isAnsweredSmall ? [...new Set(seen)] : seen).toEqual(expected);
        end();
      },
    ),
  );
});

test('a line that is too wide is truncated, so that no other line moves', () => {
  const { terminal, draw } = screenOf(6, 4);
  draw(['123456789', 'next']);
  expect(terminal.screen).toHaveLength(2);
  expect(terminal.screen[0]?.length).toBe(6);
});

test('views that have long scrolled off are dropped, and nothing on the screen moves', () => {
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

test('a view that changes its height above the screen neither removes nor adds lines of others', () => {
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
