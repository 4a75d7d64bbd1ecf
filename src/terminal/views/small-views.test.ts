import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Todo } from '../../contract/todo.js';
import { Theme } from '../screen/theme.js';
import { ContextView } from './context-view.js';
import { NoticeView } from './notice-view.js';
import { PlanView } from './plan-view.js';
import { PromptView } from './prompt-view.js';
import { SpinnerView } from './spinner-view.js';
import { StartView } from './start-view.js';
import { type StatusFacts, StatusLineView } from './status-line-view.js';
import { ThinkingView } from './thinking-view.js';
import { TodoView } from './todo-view.js';

const none = new Theme({ name: 'none', depth: 'many' });
const dark = new Theme({ name: 'dark', depth: 'many' });

const todo = (content: string, status: Todo['status']): Todo => ({ content, activeForm: `${content}ing`, status });

test.each([40, 80, 120])('shows pending, current and completed todos at %i columns', (width) => {
  const view = new TodoView(none);
  expect(view.render(width)).toEqual([]);
  view.setTodos([todo('Read', 'completed'), todo('Test', 'in_progress'), todo('Ship', 'pending')]);
  expect(view.render(width)).toEqual(['To do 1 of 3 done', '☑ Read', '▶ Testing', '☐ Ship']);
  expect(view.isDone).toBe(false);
});

test('omits completed todos first if a list is long', () => {
  const view = new TodoView(none, { maxItems: 3 });
  view.setTodos(
    [...'abcde'].map((name, index) => todo(name, index < 3 ? 'completed' : 'pending')).concat(todo('f', 'pending')),
  );
  expect(view.render(40)).toEqual(['To do 3 of 6 done', '☑ 2 done before', '☑ c', '☐ d', '☐ e', '… 1 more']);
});

test('draws a plan with a bar beside it', () => {
  expect(new PlanView(none, '1. **Do** it\n2. Test it').render(40)).toEqual(['│ 1. Do it', '│ 2. Test it']);
  expect(new PlanView(none, '', { title: 'Changed' }).render(40)).toEqual(['Changed', '│ (the plan is empty)']);
});

test('a plan hides nothing: comments and link definitions are drawn as text', () => {
  const plan =
    '1. Test it\n\n[//]: # (first secret)\n[//]: # (second secret)\n\n> [a\nb]: c "third secret"\n\n<!-- fourth secret -->';
  const shown = new PlanView(none, plan).render(60).join('\n');
  for (const word of ['first', 'second', 'third', 'fourth']) expect(shown).toContain(`${word} secret`);
});

test('marks each kind of notice with its symbol', () => {
  expect(new NoticeView(none, 'warning', 'Look\nout\u001b').render(40)).toEqual(['! Look', '  out\\u001b']);
  expect(new NoticeView(none, 'info', 'a\n  b c d').render(7)).toEqual(['· a', '    b c', '    d']);
  expect(new NoticeView(dark, 'failure', 'no').render(40)).toEqual([
    `${dark.paint.failure('✗')} ${dark.paint.failure('no')}`,
  ]);
});

test('a prompt is a bar over the width, and a long one is folded', () => {
  expect(new PromptView(none, 'hello\n\nthere').render(40)).toEqual(['───────', '❯ hello', '', '  there']);
  expect(new PromptView(none, 'word '.repeat(50)).render(100)[0]).toBe('─'.repeat(96)); // as its longest row
  const [line = ''] = new PromptView(dark, 'hello').render(40);
  expect(line).toBe(dark.on('prompt', `${dark.paint.selected('❯ ')}${dark.paint.user('hello')}`, 40));
  expect(visibleWidth(line)).toBe(40);
  const long = new PromptView(none, Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n'));
  expect(long.render(40).slice(8)).toEqual(['  line 7', '  … 22 more lines (ctrl+o)']);
  long.isExpanded = true;
  expect(long.render(40)).toHaveLength(31);
});

test('the first lines keep their places when the model is known', () => {
  const view = new StartView(none, { version: '1.2.3', directory: '~/tally' });
  expect(view.render(60)).toEqual([
    '',
    ' ▟█▌  Helve 1.2.3',
    ' ▜█▌  ~/tally',
    '   ▌',
    '',
    ' / for commands · @ for files',
  ]);
  view.update({ model: 'anthropic/claude-x', mode: 'plan' });
  expect(view.render(60)[3]).toBe('   ▌  claude-x · plans first, changes nothing');
  view.update({ model: undefined, mode: 'default' });
  expect(view.render(40)[3]).toBe('   ▌  no model · /model chooses one');
});

test('shows the last lines of thinking, then only that there was some', () => {
  const view = new ThinkingView(none);
  expect(view.render(40)).toEqual([]);
  view.append('one\ntwo\nthree');
  expect(view.render(40)).toEqual(['∴ Thinking', '  two', '  three']);
  view.finish();
  expect(view.render(40)).toEqual(['∴ Thought (3 lines, ctrl+o)']);
  view.isExpanded = true;
  expect(view.render(40)).toEqual(['∴ Thought', '  one', '  two', '  three']);
});

test('shows a spinner with time, tokens and cost', () => {
  const clock = { now: 1_000 };
  const view = new SpinnerView(none, { now: () => clock.now });
  expect(view.render(80)).toEqual([]);
  view.start({ label: 'Thinking', hint: 'esc to stop' });
  expect(view.render(80)).toEqual(['⠋ Thinking… 0s · esc to stop']);
  clock.now = 13_100;
  view.update({ inputTokens: 1_234, outputTokens: 56, costUsd: 0.031 });
  expect(view.render(80)).toEqual(['⠙ Thinking… 12s · ↑ 1.2k ↓ 56 tokens · $0.03 · esc to stop']);
  expect(view.render(40)).toEqual(['⠙ Thinking… 12s · esc to stop']);
  view.stop();
  expect(view.render(80)).toEqual([]);
});

test('the time in which a question waits is not counted', () => {
  const clock = { now: 0 };
  const view = new SpinnerView(none, { now: () => clock.now });
  view.start({ label: 'Running' });
  clock.now = 2_000;
  view.pauseWhile(true);
  clock.now = 60_000;
  view.pauseWhile(true);
  view.pauseWhile(false);
  clock.now = 61_000;
  expect(view.render(80)[0]).toContain('Running… 3s');
});

test.each([60, 80, 110])('a long label gives way to the hints at %i columns', (width) => {
  const view = new SpinnerView(none, { now: () => 0 });
  const hint = 'esc to stop · ctrl+b to run in the background';
  view.start({ label: 'Running for i in 1 2 3 4 5 6; do echo step $i; sleep 1; done', hint });
  const [line = ''] = view.render(width);
  expect(line).toMatch(/^⠋ Running.*… 0s · esc to stop · ctrl\+b/);
  if (width >= 80) expect(line.endsWith(hint)).toBe(true);
});

test('a short label stays whole at 60 columns, and the tokens give way', () => {
  const view = new SpinnerView(none, { now: () => 0 });
  view.start({ label: 'Waiting for 2 agents', hint: 'esc to stop', inputTokens: 5_300, outputTokens: 240 });
  expect(view.render(60)).toEqual(['⠋ Waiting for 2 agents… 0s · esc to stop']);
});

const facts: StatusFacts = {
  model: 'anthropic/claude-opus-5-20260101',
  mode: 'acceptEdits',
  modeKey: 'shift+tab',
  directory: '~/projects/helve',
  branch: 'main',
  context: { used: 68_000, window: 200_000 },
  costUsd: 1.5,
  hint: '? for shortcuts',
};

test.each([
  [
    138,
    'claude-opus-5 · ✎ accept edits · ~/projects/helve · ⎇ main',
    'shift+tab to change the mode · ? for shortcuts · 34% of 200k context · $1.50',
  ],
  [80, 'claude-opus-5 · ✎ accept edits · ~/projects/helve · main', '34% context · $1.50'],
  [60, 'claude-opus-5 · ✎ accept edits · helve · main', '34% · $1.50'],
  [40, 'claude-opus-5 · ✎ edits', '34% · $1.50'],
])('shortens the facts to %i columns, the least important first', (width, left, right) => {
  const [line = ''] = new StatusLineView(none, facts).render(width);
  expect(line.split(/ {2,}/)).toEqual([left, right]);
});

test('says nothing about what is as usual', () => {
  const plain = { mode: 'default', directory: '~/a', context: { used: 100, window: 1_000_000 }, costUsd: 0 } as const;
  expect(new StatusLineView(none, { ...plain, model: 'anthropic/m' }).render(80)).toEqual(['m · ~/a']);
  expect(new StatusLineView(none, plain).render(80)).toEqual(['~/a']);
  expect(new StatusLineView(none, { ...plain, sandbox: true }).render(80)).toEqual(['~/a · sandbox on']);
});

test("shows the output of a user's command, without control sequences", () => {
  const view = new StatusLineView(dark, facts);
  view.showOutput('\u001b[32mgreen\u001b[2J\u001b[0m\ntwo\nthree\nfour\n');
  expect(view.render(40)).toEqual(['\u001b[32mgreen\u001b[0m', 'two', 'three']);
  view.showOutput(undefined);
  expect(view.render(120).map(stripTerminalSequences)).toEqual(new StatusLineView(none, facts).render(120));
});

test('reports a missing model, and warns about a full context window', () => {
  const context = { used: 90, window: 100 };
  const view = new StatusLineView(dark, { model: null, mode: 'default', directory: '/', context });
  const [line = ''] = view.render(80);
  expect(stripTerminalSequences(line)).toMatch(/^no model: \/model chooses one · \/ {2,}90% of 100 context$/);
  expect(line).toContain('\u001b[38;5;209m90% of 100 context');
});

test('fits the facts into any width', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 10, max: 150 }),
      (model, directory, width) => {
        const [line = ''] = new StatusLineView(none, { ...facts, model, directory }).render(width);
        expect(visibleWidth(line)).toBeLessThanOrEqual(width);
      },
    ),
  );
});

test('draws the use of the context window', () => {
  const context = {
    system: 10_000,
    tools: 20_000,
    messages: 30_000,
    results: 100,
    total: 60_100,
    window: 120_000,
    free: 59_900,
    details: [
      {
        title: 'Instruction files',
        items: [
          { name: 'AGENTS.md', tokens: 1_200 },
          { name: 'CLAUDE.md', tokens: 30 },
        ],
      },
    ],
  };
  expect(new ContextView(none, context).render(40)).toEqual([
    'Context 60,100 of 120,000 tokens (50%)',
    '',
    '██████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒',
    '▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░···················',
    '········································',
    '',
    '█ instructions   10,000   8.3%',
    '▓ tools          20,000    17%',
    '▒ messages       30,000    25%',
    '░ tool results      100  <0.1%',
    '╌ for the answer      0     0%',
    '· free           59,900    50%',
    '',
    'Instruction files',
    '  1,200  AGENTS.md',
    '     30  CLAUDE.md',
    '',
    'To free context: /compact, or /clear fo…',
  ]);
});

test('counts of files in the context are whole tokens', () => {
  const sizes = { system: 10, tools: 0, messages: 0, results: 0, total: 10, window: 100, free: 90 };
  const details = [{ title: 'Files', items: [{ name: 'CLAUDE.md', tokens: 4.25 }] }];
  expect(new ContextView(none, { ...sizes, details }).render(40)).toContain('  4  CLAUDE.md');
});
