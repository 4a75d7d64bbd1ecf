import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui';
import { expect, test } from 'vitest';
import { planOf } from '../../agent/planning/plan-question.js';
import type { PermissionMode } from '../../contract/permission.js';
import type { Answer, Question } from '../../contract/question.js';
import { trustFacts, trustWords } from '../../display/trust-words.js';
import { Theme } from '../screen/theme.js';
import { ChoiceDialog } from './choice-dialog.js';
import type { Dialog } from './dialog.js';
import { type PlanAnswer, PlanDialog, withPlan } from './plan-dialog.js';
import { QuestionDialog } from './question-dialog.js';
import { TextDialog } from './text-dialog.js';
import { TrustDialog } from './trust-dialog.js';

const theme = new Theme({ name: 'none', depth: 'many' });

const keys = {
  up: '\u001b[A',
  down: '\u001b[B',
  left: '\u001b[D',
  enter: '\r',
  escape: '\u001b',
  space: ' ',
  open: '\u000f',
};

function press(dialog: Dialog, ...pressed: Array<keyof typeof keys | { type: string }>): void {
  for (const each of pressed) {
    if (typeof each === 'string') dialog.handleInput(keys[each]);
    else for (const character of each.type) dialog.handleInput(character);
  }
}

const lines = (dialog: Dialog, width = 60): string[] =>
  dialog.render(width).map((line) => stripTerminalSequences(line).trimEnd());

function choose(...pressed: Array<keyof typeof keys | { type: string }>): {
  answers: Array<string | undefined>;
  dialog: Dialog;
} {
  const answers: Array<string | undefined> = [];
  const items = [
    { value: 'dark', description: 'for the night' },
    { value: 'light', isCurrent: true },
    { value: 'none', label: 'no colour' },
  ];
  const dialog = new ChoiceDialog(theme, { title: 'Theme', items }, (value) => answers.push(value));
  press(dialog, ...pressed);
  return { answers, dialog };
}

test('draws a list with the current choice', () => {
  expect(lines(choose().dialog, 50)).toEqual([
    '── Theme ─────────────────────────────────────────',
    '',
    '  1  dark                for the night',
    '❯ 2  light ✓',
    '  3  no colour',
  ]);
});

test('puts a long description below its label', () => {
  const items = [{ value: 'sqlite', description: 'One file, no server, fast enough for one machine' }];
  expect(lines(new ChoiceDialog(theme, { title: 'Database', items }, () => {}), 40).slice(2)).toEqual([
    '❯ 1  sqlite',
    '     One file, no server, fast enough',
    '     for one machine',
  ]);
});

test('chooses with Enter, arrows and digits, and cancels with Escape', () => {
  expect(choose('enter').answers).toEqual(['light']);
  expect(choose('down', 'enter').answers).toEqual(['none']);
  expect(choose('down', 'down', 'enter').answers).toEqual(['dark']);
  expect(choose('up', 'up', 'enter').answers).toEqual(['none']);
  expect(choose({ type: '1' }).answers).toEqual(['dark']);
  expect(choose({ type: '9' }).answers).toEqual([]);
  expect(choose('escape').answers).toEqual([undefined]);
});

test('filters a long list by the typed text', () => {
  const answers: Array<string | undefined> = [];
  const items = Array.from({ length: 40 }, (_, index) => ({ value: `session ${index}` }));
  const dialog = new ChoiceDialog(theme, { title: 'Resume', items }, (value) => answers.push(value));
  expect(lines(dialog, 40).slice(2, 4)).toEqual(['type to narrow the list', '❯ session 0']);
  expect(lines(dialog, 40).at(-1)).toBe('  ↓ 30 more');
  press(dialog, { type: '39' });
  expect(lines(dialog, 40).slice(2)).toEqual(['filter: 39', '❯ session 39']);
  press(dialog, 'enter');
  expect(answers).toEqual(['session 39']);
});

test('keeps the focused line of a long list on the screen', () => {
  const items = Array.from({ length: 40 }, (_, index) => ({ value: `session ${index}` }));
  const dialog = new ChoiceDialog(theme, { title: 'Resume', items }, () => {});
  for (let step = 0; step < 40; step += 1) {
    expect(lines(dialog, 40)).toContain(`❯ session ${step}`);
    press(dialog, 'down');
  }
});

test('wraps the descriptions of a long list, which stays small enough for a small window', () => {
  const description = 'The permission mode at the start, which decides what is asked about before it is done';
  const items = Array.from({ length: 40 }, (_, index) => ({ value: `setting ${index}`, description }));
  const dialog = new ChoiceDialog(theme, { title: 'Settings', items }, () => {});
  for (let step = 0; step < 40; step += 1) {
    const shown = lines(dialog, 80);
    expect(shown.length).toBeLessThanOrEqual(19);
    const selected = shown.findIndex((line) => line.startsWith(`❯ setting ${step} `));
    const text = shown.slice(selected, selected + 2).map((line) => line.slice(line.startsWith('❯') ? 16 : 0).trim());
    expect(text.join(' ')).toBe(description);
    press(dialog, 'down');
  }
});

test('accepts a line of text, and can be cancelled', () => {
  const answers: Array<string | undefined> = [];
  const dialog = new TextDialog(theme, { title: 'Name', draft: 'ab' }, (text) => answers.push(text));
  press(dialog, { type: 'c' }, 'enter');
  expect(answers).toEqual(['abc']);
  press(dialog, 'escape');
  expect(answers).toEqual(['abc', undefined]);
});

test('never draws a secret', () => {
  const answers: Array<string | undefined> = [];
  const dialog = new TextDialog(theme, { title: 'Key', isSecret: true }, (text) => answers.push(text));
  press(dialog, { type: 'sk-123' });
  expect(lines(dialog, 40).at(-1)).toBe('❯ ••••••▏');
  expect(lines(dialog, 40).join('')).not.toContain('sk-123');
  press(dialog, 'enter');
  expect(answers).toEqual(['sk-123']);
});

const trust = {
  folder: '~/project',
  state: 'untrusted',
  groups: [
    { file: '.claude/settings.json', items: [{ text: 'runs at PreToolUse: rm -rf \u202e/', line: 4 }] },
    { file: '.mcp.json', items: [{ text: 'starts a: node a.js' }] },
  ],
  instructions: [],
  rows: () => 40,
} as const;

test.each([60, 80, 120])('lists what trust would switch on, by file, at %i columns', (width) => {
  const dialog = new TrustDialog(theme, trust, () => {});
  expect(lines(dialog, width).slice(1)).toEqual([
    '',
    '  ~/project',
    '',
    '  Trusting it switches this on:',
    '  .claude/settings.json',
    '    runs at PreToolUse: rm -rf \\u202e/ (line 4)',
    '  .mcp.json',
    '    starts a: node a.js',
    '',
    '  y  Yes, trust the folder, with all of this',
    '❯ n  No, continue and ignore all of this',
  ]);
});

test('a folder with instructions alone is asked about in one sentence', () => {
  const dialog = new TrustDialog(theme, { ...trust, groups: [], instructions: ['CLAUDE.md'] }, () => {});
  expect(lines(dialog, 80).slice(4)).toEqual([
    '  CLAUDE.md tells the model how to work here. Trust it if you know who wrote it.',
    '',
    '  y  Yes, follow it',
    '❯ n  No, treat it as notes',
  ]);
});

test('an item of a folder is named with its file and line', () => {
  const pending = [
    { key: 'permissions.allow', value: 'Bash(ls)', file: '.claude/settings.json', line: 4, change: 'new' },
    { key: 'instructions', name: 'AGENTS.md', value: 'x', change: 'new' },
    { key: 'permissions.allow', value: 'Bash(cat)', file: '.claude/settings.json', line: 5, change: 'changed' },
  ] as const;
  const facts = trustFacts(
    { state: 'changed', folder: '/home/me/p', covered: pending, pending },
    { home: ['/home/me'] },
  );
  expect(facts).toEqual({
    folder: '~/p',
    state: 'changed',
    groups: [
      {
        file: '.claude/settings.json',
        items: [
          { text: 'allows: Bash(ls)', line: 4, change: 'new' },
          { text: 'allows: Bash(cat)', line: 5, change: 'changed' },
        ],
      },
    ],
    instructions: ['AGENTS.md'],
  });
});

test('trusts only on an explicit yes', () => {
  const answersTo = (...pressed: Array<keyof typeof keys | { type: string }>): boolean[] => {
    const answers: boolean[] = [];
    press(new TrustDialog(theme, trust, (isTrusted) => answers.push(isTrusted)), ...pressed);
    return answers;
  };
  expect(answersTo('enter')).toEqual([false]);
  expect(answersTo('escape')).toEqual([false]);
  expect(answersTo({ type: 'x' })).toEqual([]);
  expect(answersTo({ type: 'y' })).toEqual([true]);
  expect(answersTo('up', 'enter')).toEqual([true]);
});

test('a long list can be scrolled to its end', () => {
  const items = Array.from({ length: 30 }, (_, index) => ({ text: `item ${index}`, change: 'changed' as const }));
  const groups = [{ file: 'a.json', items }];
  const dialog = new TrustDialog(theme, { ...trust, state: 'changed', groups, rows: () => 24 }, () => {});
  expect(lines(dialog)).toContain('  lines 1–12 of 34 · pgdn for more');
  for (let page = 0; page < 5; page += 1) dialog.handleInput('\u001b[6~');
  expect(lines(dialog)).toContain('    changed: item 29');
});

function plan(...pressed: Array<keyof typeof keys | { type: string }>): Array<PlanAnswer | 'stop'> {
  const answers: Array<PlanAnswer | 'stop'> = [];
  press(new PlanDialog(theme, { plan: '1. Do it' }, (answer) => answers.push(answer)), ...pressed);
  return answers;
}

test('approves a plan, with or without accepting edits, or refuses it with a reason', () => {
  expect(plan('enter')).toEqual([{ behavior: 'allow', mode: 'default' }]);
  expect(plan({ type: 'a' })).toEqual([{ behavior: 'allow', mode: 'acceptEdits' }]);
  expect(plan({ type: 'n' }, { type: 'test first' }, 'enter')).toEqual([{ behavior: 'deny', reason: 'test first' }]);
  expect(plan({ type: 'n' }, 'enter')).toEqual([{ behavior: 'deny' }]);
  expect(plan({ type: 'n' }, { type: 'ny' }, 'escape', 'enter')).toEqual([]);
  expect(plan('escape')).toEqual(['stop']);
});

test.each([40, 80, 120])('draws the plan above the choices at %i columns', (width) => {
  const dialog = new PlanDialog(theme, { plan: '1. **Do** it', reason: '3 child agents run its steps' }, () => {});
  expect(lines(dialog, width).slice(1)).toEqual([
    '',
    '  │ 1. Do it',
    '',
    '  3 child agents run its steps',
    '',
    '❯ y  Yes, and ask before each edit',
    '  a  Yes, and accept edits',
    '  n  No, and say what should change',
  ]);
});

test('the approved plan is the one that the user edited', async () => {
  const answers: Array<PlanAnswer | 'stop'> = [];
  const { promise: drawn, resolve: onChange } = Promise.withResolvers<void>();
  const edit = async (text: string) => ({ text: `${text}\n2. Test it` });
  const dialog = new PlanDialog(theme, { plan: '1. Do it', edit, onChange }, (answer) => answers.push(answer));
  press(dialog, { type: 'e' });
  await drawn;
  expect(lines(dialog, 60).slice(2, 5)).toEqual(['  Changed by you', '  │ 1. Do it', '  │ 2. Test it']);
  press(dialog, { type: 'y' });
  expect(answers).toEqual([{ behavior: 'allow', mode: 'default', plan: '1. Do it\n2. Test it' }]);
});

test('a long plan scrolls inside of the question', () => {
  const steps = Array.from({ length: 40 }, (_, index) => `${index + 1}. Step`).join('\n');
  const dialog = new PlanDialog(theme, { plan: steps, rows: () => 30 }, () => {});
  expect(lines(dialog)).toContain('  lines 1–17 of 40 · pgdn for more');
  for (let page = 0; page < 3; page += 1) dialog.handleInput('\u001b[6~');
  expect(lines(dialog)).toContain('  │ 40. Step');
  expect(lines(dialog).length).toBeLessThanOrEqual(24);
});

test('returns to the mode before the plan, and to accepting edits only if that is chosen', () => {
  const first = (modeAfter: PermissionMode): string | undefined =>
    lines(new PlanDialog(theme, { plan: '1. Do it', modeAfter }, () => {})).find((line) => line.startsWith('❯'));
  expect(first('acceptEdits')).toBe('❯ y  Yes, and ask before each edit');
  expect(first('bypassPermissions')).toBe('❯ y  Yes, and return to bypass permissions');
});

test('recognises a question about a plan by its effect', () => {
  const question = {
    callId: '1',
    tool: 'x',
    input: {},
    effects: [{ kind: 'session', access: 'write', what: 'mode' }],
    decision: { behavior: 'ask', reason: '' },
    reason: '',
    display: { title: 'plan', body: { type: 'markdown', text: '1. Do it' } },
    risks: [],
    suggestions: [],
  } as const;
  expect(planOf(question)).toBe('1. Do it');
  expect(withPlan({ ...question, input: { plan: '1. Do it', more: 1 } }, '1. Do it', '2.')).toEqual({
    plan: '2.',
    more: 1,
  });
  expect(withPlan(question, '1. Do it', '2.')).toBeUndefined();
  expect(planOf({ ...question, effects: [{ kind: 'unknown', why: 'x' }] })).toBeUndefined();
  expect(planOf({ ...question, display: { title: 'plan mode' } })).toBeUndefined();
});

const questions: readonly Question[] = [
  {
    question: 'Which database?',
    header: 'Database',
    options: [
      { label: 'SQLite', description: 'one file' },
      { label: 'Postgres', description: 'a server' },
    ],
  },
  {
    question: 'Which checks?',
    header: 'Checks',
    multiSelect: true,
    options: [
      { label: 'Types', description: '' },
      { label: 'Tests', description: '' },
      { label: 'Lint', description: '' },
    ],
  },
];

function ask(...pressed: Array<keyof typeof keys | { type: string }>) {
  const answers: Answer[][] = [];
  let stops = 0;
  const dialog = new QuestionDialog(theme, { questions }, (each) => {
    if (each === 'stop') stops += 1;
    else answers.push(each);
  });
  press(dialog, ...pressed);
  return { answers, dialog, stops };
}

test('draws one question at a time, with the headers of all', () => {
  expect(lines(ask().dialog, 50)).toEqual([
    '── Question 1 of 2 ───────────────────────────────',
    '',
    '  [Database]  Checks',
    '',
    '  Which database?',
    '',
    '❯ 1  SQLite              one file',
    '  2  Postgres            a server',
    '  3  Something else…',
  ]);
  expect(lines(ask({ type: '2' }, { type: '13' }).dialog, 50).slice(2)).toEqual([
    '   Database  [Checks]',
    '',
    '  Which checks?',
    '',
    '  1  [x] Types',
    '  2  [ ] Tests',
    '❯ 3  [x] Lint',
    '  4  [ ] Something else…',
  ]);
});

test('answers every question in order, with choices and typed text', () => {
  expect(ask({ type: '2' }, { type: '13' }, 'enter').answers).toEqual([
    [{ chosen: ['Postgres'] }, { chosen: ['Types', 'Lint'] }],
  ]);
  expect(
    ask(
      { type: '3' },
      { type: 'DuckDB' },
      'enter',
      { type: '2' },
      { type: '4' },
      { type: 'a fuzzer' },
      'enter',
      'enter',
    ).answers,
  ).toEqual([
    [
      { chosen: [], text: 'DuckDB' },
      { chosen: ['Tests'], text: 'a fuzzer' },
    ],
  ]);
});

test('marks with the space bar, and uses the focused option if none is marked', () => {
  expect(ask('enter', 'down', 'space', 'enter').answers[0]?.[1]).toEqual({ chosen: ['Tests'] });
  expect(ask('enter', 'down', 'enter').answers[0]?.[1]).toEqual({ chosen: ['Tests'] });
});

test('goes back to a question, and Escape stops the turn without an answer', () => {
  expect(ask({ type: '1' }, 'left', { type: '2' }, 'enter').answers).toEqual([
    [{ chosen: ['Postgres'] }, { chosen: ['Types'] }],
  ]);
  expect(ask({ type: '1' }, 'escape')).toMatchObject({ answers: [], stops: 1 });
});

test('fits long labels into a width of 40', () => {
  const long = { label: 'A label '.repeat(8), description: 'A description '.repeat(8) };
  const dialog = new QuestionDialog(
    theme,
    { questions: [{ question: 'Q '.repeat(50), header: 'H', options: [long, long] }] },
    () => {},
  );
  for (const line of dialog.render(40)) expect(visibleWidth(line)).toBeLessThanOrEqual(40);
});

test.each([
  [{ key: 'permissions.allow', value: 'Bash(ls)' }, 'allows: Bash(ls)'],
  [{ key: 'env', name: 'A', value: 'b\u202ec' }, 'sets: A=b\\u202ec'],
  [
    { key: 'hooks', name: 'Stop', value: { event: 'Stop', matcher: '', hook: { type: 'command', command: 'rm x' } } },
    'runs at Stop: rm x',
  ],
  [{ key: 'mcpServers', name: 'a', value: { command: 'node', args: ['a.js'] } }, 'starts the MCP server a: node a.js'],
  [
    { key: 'mcpServers', name: 'a', value: { type: 'http', url: 'http://x:9/mcp' } },
    'connects to the MCP server a: http://x:9/mcp',
  ],
  // It has more fields, so all of it is shown.
  [
    { key: 'mcpServers', name: 'a', value: { command: 'node', env: { PATH: '/x' } } },
    'mcpServers.a: {"command":"node","env":{"PATH":"/x"}}',
  ],
])('describes an item of a folder: %j', (item, words) => {
  expect(trustWords(item)).toBe(words);
});

test('names the keys that count after a letter that is no choice, until the next key', () => {
  const { dialog } = choose({ type: 'x' });
  expect(dialog.hint).toBe('“x” is no choice: press 1 to 3 or an arrow · esc to cancel');
  press(dialog, 'down');
  expect(dialog.hint).toBe('↑↓ enter to choose · esc to cancel');
  const plan = new PlanDialog(theme, { plan: 'Do it.' }, () => {});
  press(plan, { type: 'x' });
  expect(plan.hint).toBe('“x” is no choice: press y, a, n or an arrow · esc to stop');
});
