import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Theme } from '../screen/theme.js';
import { CallView } from './call-view.js';

const none = new Theme({ name: 'none', depth: 'many' });

function call(theme = none) {
  const clock = { now: 0 };
  const view = new CallView(theme, { tool: 'Run', now: () => clock.now });
  return { view, clock, lines: (width = 40) => view.render(width) };
}

const tenLines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join('\n');

test('a question of a call is shown by its dialog alone, and an unanswered one is one line', () => {
  const { view, lines } = call();
  view.showInput({ title: 'Which database?' });
  view.question();
  view.start(); // the events may arrive after the question
  expect(lines()).toEqual([]);
  view.end({ display: { title: 'Which database?' }, failure: 'interrupted', problem: 'Interrupted while it ran.' });
  expect(lines()).toEqual(['⊘ Run Which database?  not answered']);
});

test('a call that was not run because of another one does not say that it was denied', () => {
  const { view, lines } = call();
  const problem = `Not run, because Write ${'long/'.repeat(12)}made.txt was refused.`;
  view.end({ display: { title: 'npm test', notRun: true }, failure: 'permission_denied', problem });
  expect(lines()[0]).toMatch(/^⊘ Run npm test {2}not run, because Write/);
  expect(lines().join(' ')).not.toContain('denied');
  expect(
    lines()
      .join(' ')
      .match(/not run/gi),
  ).toHaveLength(1);
});

test('shows a call from its input to its result', () => {
  const { view, clock, lines } = call();
  expect(lines()).toEqual(['○ Run  …']);
  view.showInput({ title: 'npm te' });
  expect(lines()).toEqual(['○ Run npm te  …']);
  view.showInput({ title: 'npm test' });
  view.wait();
  expect(lines()).toEqual(['○ Run npm test  waiting']);
  view.ask();
  expect(lines()).toEqual([]); // the question shows it
  view.start();
  expect(lines()).toEqual(['● Run npm test']);
  clock.now = 1999;
  view.showProgress(tenLines);
  expect(lines()).toEqual([
    '● Run npm test',
    ...['line 6', 'line 7', 'line 8', 'line 9', 'line 10'].map((line) => `  ${line}`),
  ]);
  clock.now = 65_000;
  expect(lines()[0]).toBe('● Run npm test  1m 5s');
  view.end({ display: { title: 'npm test', facts: ['1m 5s'], body: { type: 'output', text: tenLines } } });
  expect(lines()).toEqual([
    '✓ Run npm test  1m 5s',
    '  line 1',
    '  line 2',
    '  line 3',
    '  line 4',
    '  … 6 more lines (ctrl+o)',
  ]);
  view.isExpanded = true;
  expect(lines()).toHaveLength(11);
  expect(lines().at(-1)).toBe('  line 10');
});

test.each([40, 80, 120])('a long title gives way to the time at %i columns', (width) => {
  const { view, clock, lines } = call();
  view.showInput({ title: 'echo '.repeat(50) });
  view.start();
  clock.now = 5_000;
  const [head = ''] = lines(width);
  expect(head).toMatch(/^● Run echo .*… {2}5s$/);
  expect(visibleWidth(head)).toBe(width);
});

test('a failed command shows its exit code, its time and the lines that say what failed', () => {
  const { view, lines } = call();
  const text = `${tenLines}\nnot ok 2 - rounds\n  expected: 905\n  actual: 1005\n${tenLines}`;
  view.start();
  const display = { title: 'npm test', facts: ['1.9s'], body: { type: 'output', text } as const };
  view.end({ display, failure: 'exception', problem: 'Exit code 1' });
  expect(lines()).toEqual([
    '✗ Run npm test  exit code 1 · 1.9s',
    '  not ok 2 - rounds',
    '    expected: 905',
    '    actual: 1005',
    '  … 20 more lines (ctrl+o)',
  ]);
});

test('a passing run of tests shows its counts, without the lines of npm', () => {
  const { view, lines } = call();
  const text = `\n> shop@1.0.0 test\n> node --test\n\n${tenLines}\nℹ tests 10\nℹ pass 10\nℹ fail 0\n`;
  view.end({ display: { title: 'npm test', body: { type: 'output', text } } });
  expect(lines().slice(1)).toEqual(['  ℹ tests 10', '  ℹ pass 10', '  … 15 more lines (ctrl+o)']);
});

test("shows the end of a failed command's output if no line is known to say why", () => {
  const { view, lines } = call();
  view.end({
    display: {
      title: 'make',
      body: { type: 'output', text: `${tenLines}\nline 11\nline 12\nline 13\nline 14\nline 15` },
    },
    failure: 'exception',
    problem: 'Exit code 2',
  });
  expect(lines()).toEqual([
    '✗ Run make  exit code 2',
    ...[8, 9, 10, 11, 12, 13, 14, 15].map((number) => `  line ${number}`),
    '  … 7 more lines (ctrl+o)',
  ]);
});

test('distinguishes a refusal and an interrupt from a failure', () => {
  const denied = call();
  denied.view.end({
    display: { title: 'rm -rf x', body: { type: 'text', text: 'rm -rf x' } },
    failure: 'permission_denied',
    problem: 'You refused it.',
  });
  expect(denied.lines()).toEqual(['⊘ Run rm -rf x  you refused it']);
  const stopped = call();
  stopped.view.end({ display: { title: 'sleep 9' }, failure: 'interrupted', problem: 'Interrupted.' });
  expect(stopped.lines()).toEqual(['■ Run sleep 9  interrupted']);
});

test('a reason of several sentences follows the title too, and wraps', () => {
  const { view, lines } = call();
  const problem = 'a.ts has not been read in this session. An edit could destroy unseen content.';
  view.end({ display: { title: 'a.ts' }, failure: 'check_refused', problem });
  expect(lines(50)).toEqual([
    '✗ Run a.ts  a.ts has not been read in this',
    '  session. An edit could destroy unseen content.',
  ]);
});

test.each([
  [
    { type: 'diff', path: 'a.ts', patch: '@@ -1 +1 @@\n-a\n+b' },
    ['⊘ Run a.ts  you refused it: use c', '  1 - a', '  1 + b'],
  ],
  [{ type: 'markdown', text: '1. Write **it**' }, ['⊘ Run a.ts  rejected: use c', '  1. Write it']],
] as const)('a refused change stays on the screen, dimmed', (body, expected) => {
  const theme = new Theme({ name: 'dark', depth: 'many' });
  const { view, lines } = call(theme);
  view.ask();
  view.end({ display: { title: 'a.ts', body }, failure: 'permission_denied', problem: 'You refused it: use c' });
  expect(lines().map((line) => stripTerminalSequences(line).trimEnd())).toEqual(expected);
  expect(lines()[1]).toContain(theme.paint.muted(expected[1].slice(2)));
});

test('a call whose command continues in the background is marked as running until that ends', () => {
  const { view, lines } = call();
  view.end({ display: { title: 'npm run dev', facts: ['in the background'], background: 'b1' } });
  expect(lines(60)).toEqual(['● Run npm run dev  in the background']);
  view.endBackground(true);
  expect(lines(60)).toEqual(['✗ Run npm run dev  in the background']);
});

test('fewer than five lines are not folded', () => {
  const { view, lines } = call();
  const patch = `@@ -0,0 +1,18 @@${'\n+line'.repeat(18)}`;
  view.end({ display: { title: 'a.ts', body: { type: 'diff', path: 'a.ts', patch } } });
  expect(lines()).toHaveLength(19);
});

test('shows a change as a diff, with the number of lines, and says that a file is new', () => {
  const { view, lines } = call();
  view.end({ display: { title: 'a.ts', body: { type: 'diff', path: 'a.ts', patch: '@@ -1 +1 @@\n-a\n+b' } } });
  expect(lines()).toEqual(['✓ Run a.ts  +1 -1', '  1 - a', '  1 + b']);
  const fresh = call();
  fresh.view.end({ display: { title: 'a.ts', body: { type: 'diff', path: 'a.ts', patch: '@@ -0,0 +1 @@\n+b' } } });
  expect(fresh.lines()).toEqual(['✓ Run a.ts  created · 1 line', '  1 b']);
});

test("a command of the user's own is shown in full, up to 40 lines", () => {
  const { view, lines } = call();
  view.own();
  view.end({ display: { title: 'git status', body: { type: 'output', text: tenLines } } });
  expect(lines()).toHaveLength(11);
});

test('marks the text of others, and shows the tool of a server by both names', () => {
  const view = new CallView(none, { tool: 'mcp__github__get_issue', now: () => 0 });
  view.end({ display: { title: '7', body: { type: 'text', text: 'Broken.' }, writtenBy: 'github' } });
  expect(view.render(60)).toEqual(['✓ github: get_issue 7', '  from github:', '  Broken.']);
});

test('abbreviates paths until it is expanded', () => {
  const shorten = (text: string) => text.replaceAll('/p/', '');
  const view = new CallView(none, { tool: 'Run', now: () => 0, shorten });
  view.end({ display: { title: '/p/a.ts' }, failure: 'exception', problem: '/p/a.ts is a folder.' });
  expect(view.render(60)).toEqual(['✗ Run a.ts  a.ts is a folder']);
  view.isExpanded = true;
  expect(view.render(60)).toEqual(['✗ Run /p/a.ts  /p/a.ts is a folder']);
});

test('a question that arrives before the input is complete stays a question, which shows the call itself', () => {
  const { view, lines } = call();
  view.showInput({ title: 'plan', body: { type: 'text', text: tenLines } });
  view.ask();
  view.wait();
  expect(lines()).toEqual([]);
});

test('shows lists, and todos only when expanded, since they are shown elsewhere', () => {
  const list = call();
  list.view.end({ display: { title: 'x', body: { type: 'list', items: [...'abcdefghi'] } } });
  expect(list.lines().slice(1)).toEqual(['  - a', '  - b', '  - c', '  - d', '  … 5 more lines (ctrl+o)']);
  const todos = call();
  todos.view.end({
    display: {
      title: 'x',
      body: { type: 'todos', items: [{ content: 'Test', activeForm: 'Testing', status: 'in_progress' }] },
    },
  });
  expect(todos.lines()).toEqual([]);
  todos.view.isExpanded = true;
  expect(todos.lines()).toEqual(['✓ Run x', '  ▶ Testing']);
});

test('keeps the colours of a program within its output', () => {
  const theme = new Theme({ name: 'dark', depth: 'many' });
  const { view, lines } = call(theme);
  view.end({ display: { title: 'x', body: { type: 'output', text: 'red', styled: '\x1b[31mred\x1b[2J\x1b[0m' } } });
  expect(lines()[0]).toBe(`${theme.paint.success('✓')} \x1b[1mRun\x1b[22m x`);
  expect(lines()[1]).toContain('\x1b[31mred\x1b[0m');
});

test('passes no control sequence from outside to the terminal', () => {
  const { view, lines } = call();
  view.showInput({ title: 'a\x1b]0;b\x07\nc\u202ed' });
  expect(lines(80)[0]).toContain('a\\u001b]0;b\\u0007⏎c\\u202ed');
});

test('a result is final: later events change nothing', () => {
  const { view, lines } = call();
  view.end({ display: { title: 'x' } });
  view.showInput({ title: 'y' });
  view.start();
  expect(lines()).toEqual(['✓ Run x']);
});

test('fits any display into the width', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme', size: 'large' }),
      fc.constantFrom(20, 40, 80),
      fc.boolean(),
      (title, text, width, isExpanded) => {
        const { view, lines } = call();
        view.isExpanded = isExpanded;
        view.end({ display: { title, body: { type: 'text', text } } });
        for (const line of lines(width)) expect(visibleWidth(stripTerminalSequences(line))).toBeLessThanOrEqual(width);
      },
    ),
  );
});
