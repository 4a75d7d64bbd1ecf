import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PermissionAnswer, PermissionQuestion } from '../../contract/permission.js';
import { Theme } from '../screen/theme.js';
import { PermissionDialog } from './permission-dialog.js';

const none = new Theme({ name: 'none', depth: 'many' });

const command: PermissionQuestion = {
  callId: '1',
  tool: 'Shell',
  input: { command: 'ls src && rm -rf build' },
  effects: [
    { kind: 'command', text: 'ls src', harmless: true },
    { kind: 'file', access: 'read', path: '/p/src', real: '/p/src' },
    { kind: 'command', text: 'rm -rf build', harmless: false, why: 'rm deletes files' },
    { kind: 'file', access: 'write', path: '/p/build', real: '/elsewhere/build', tree: true, removes: true },
  ],
  decision: {
    behavior: 'ask',
    reason: 'no rule allows "rm -rf build"',
    trail: [
      { about: '"ls src"', effect: 0, behavior: 'allow', because: 'it only reads', basis: 'harmless', decided: false },
      {
        about: '"rm -rf build"',
        effect: 2,
        behavior: 'ask',
        because: 'a rule asks',
        basis: 'ask_rule',
        rule: { text: 'Shell(rm *)', list: 'ask', file: '/p/settings.json', line: 4 },
        decided: true,
      },
    ],
  },
  reason: 'no rule allows "rm -rf build"',
  display: { title: 'ls src && rm -rf build', body: { type: 'text', text: 'ls src && rm -rf build' } },
  risks: [],
  suggestions: ['Shell(rm -rf build)'],
};

const edit: PermissionQuestion = {
  ...command,
  tool: 'Change',
  effects: [{ kind: 'file', access: 'write', path: '/p/a.ts', real: '/p/a.ts' }],
  decision: { behavior: 'ask', reason: 'it writes a file' },
  reason: 'it writes a file',
  display: { title: 'a.ts', body: { type: 'diff', path: 'a.ts', patch: '@@ -1 +1 @@\n-a\n+b' } },
  suggestions: [],
};

const keys = { enter: '\r', escape: '\u001b', down: '\u001b[B', open: '\u000f', erase: '\u0015' };

function asked(question: PermissionQuestion, theme = none) {
  const answers: PermissionAnswer[] = [];
  const dialog = new PermissionDialog(theme, question, (answer) => answers.push(answer));
  const press = (...pressed: Array<keyof typeof keys | { type: string }>): PermissionAnswer[] => {
    for (const each of pressed) {
      if (typeof each === 'string') dialog.handleInput(keys[each]);
      else for (const character of each.type) dialog.handleInput(character);
    }
    return answers;
  };
  const lines = (width = 80): string[] => dialog.render(width).map((line) => stripTerminalSequences(line).trimEnd());
  return { dialog, press, lines };
}

test('shows the command with the deciding part, the real paths, the reason and the rule', () => {
  expect(asked(command).lines().slice(1)).toEqual([
    '  ls src && rm -rf build',
    '            ^^^^^^^^^^^^',
    '',
    '  deletes the tree /p/build → /elsewhere/build (a link)',
    '  runs rm -rf build (rm deletes files)',
    '  runs ls src',
    '  reads /p/src',
    '',
    '  Why it asks: no rule allows "rm -rf build"',
    '  • "rm -rf build": ask, a rule asks (ask: Shell(rm *), /p/settings.json:4)',
    '',
    '❯ y  Yes, this once',
    '  s  Yes, for this session        Shell(rm -rf build)',
    '  a  Yes, always                  Shell(rm -rf build)',
    '  e  Yes, always, but change the rule first',
    '  n  No, and say what to do instead',
  ]);
});

test('says how the command will be confined after approval', () => {
  const confinement = 'Runs in the sandbox: no network, writes only in the project.';
  const { lines } = asked({ ...command, confinement });
  const shown = lines();
  expect(shown[shown.indexOf('  reads /p/src') + 1]).toBe(`  ${confinement}`);
  const hidden = asked({ ...command, confinement: 'Runs \u001b[2Jsafely.' }).dialog.render(80);
  expect(hidden.join('')).not.toContain('\u001b[2J');
});

test('shows the rules in one column if the window is narrow', () => {
  const rows = asked({ ...edit, suggestions: ['Edit(./a)'] })
    .lines(40)
    .filter((line) => line.includes('Edit('));
  expect(rows).toEqual(['  s  Yes, for this session  Edit(./a)', '  a  Yes, always            Edit(./a)']);
});

test('highlights by colour if there are colours', () => {
  const { dialog } = asked(command, new Theme({ name: 'dark', depth: 'many' }));
  expect(dialog.render(80)[1]).toBe('  ls src && \u001b[4m\u001b[38;5;209mrm -rf build\u001b[39m\u001b[24m');
});

test.each([40, 80, 120])('fits into %i columns, with every choice on the screen', (width) => {
  const { dialog, lines } = asked(command);
  for (const line of dialog.render(width)) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
  expect(lines(width).filter((line) => /^[ ❯] [ysaen] {2}/.test(line))).toHaveLength(5);
  expect(lines(width).join('\n')).toContain('/elsewhere/build');
});

test('shows a change as a diff, and offers to accept edits', () => {
  const { lines, press } = asked(edit);
  expect(lines(40)).toEqual([
    '── Allow Change? ───────────────────────',
    '  a.ts',
    '  1 - a',
    '  1 + b',
    '',
    '  writes /p/a.ts',
    '',
    '  Why it asks: it writes a file',
    '',
    '❯ y  Yes, this once',
    '  m  Yes, and accept edits from now on',
    '  n  No, and say what to do instead',
  ]);
  expect(press({ type: 'm' })).toEqual([{ behavior: 'allow', mode: 'acceptEdits' }]);
});

test('does not repeat an effect that is also the reason', () => {
  const because = 'it writes /p/a.ts';
  const ground = {
    about: 'writing /p/a.ts',
    effect: 0,
    behavior: 'ask',
    because,
    basis: 'default',
    decided: true,
  } as const;
  const plain = { ...edit, reason: because, decision: { behavior: 'ask', reason: because, trail: [ground] } } as const;
  expect(
    asked(plain)
      .lines()
      .filter((line) => line.includes('/p/a.ts')),
  ).toEqual(['  writes /p/a.ts']);
  const away = { kind: 'file', access: 'read', path: '/etc/x', real: '/etc/x' } as const;
  expect(asked({ ...plain, effects: [away] }).lines()).toContain('  Why it asks: it writes /p/a.ts');
});

test('has one key for each answer', () => {
  const rules = ['Shell(rm -rf build)'];
  expect(asked(command).press('enter')).toEqual([{ behavior: 'allow' }]);
  expect(asked(command).press({ type: 'y' })).toEqual([{ behavior: 'allow' }]);
  expect(asked(command).press({ type: 's' })).toEqual([{ behavior: 'allow', remember: { rules, scope: 'session' } }]);
  expect(asked(command).press({ type: 'a' })).toEqual([{ behavior: 'allow', remember: { rules, scope: 'always' } }]);
  expect(asked(command).press('escape')).toEqual([{ behavior: 'deny' }]);
});

test('refuses with a reason, or without one', () => {
  expect(asked(command).press({ type: 'n' }, { type: 'keep it, yes' }, 'enter')).toEqual([
    { behavior: 'deny', reason: 'keep it, yes' },
  ]);
  expect(asked(command).press({ type: 'n' }, 'enter')).toEqual([{ behavior: 'deny' }]);
  const { press, lines } = asked(command);
  expect(press({ type: 'n' }, { type: 'y' }, 'escape')).toEqual([]);
  expect(lines().at(-1)).toBe('❯ n  No, and say what to do instead');
});

test('lets the user change the rules one by one before they are saved', () => {
  const two = { ...command, suggestions: ['Shell(a)', 'Shell(b)'] };
  const { press, lines } = asked(two);
  press({ type: 'e' });
  expect(lines().slice(-2)).toEqual(['The rule 1 of 2 to save:', '> Shell(a)']);
  press('erase', { type: 'Shell(a *)' }, 'enter');
  expect(press('enter')).toEqual([
    { behavior: 'allow', remember: { rules: ['Shell(a *)', 'Shell(b)'], scope: 'always' } },
  ]);
});

test('saves no empty rule', () => {
  expect(asked(command).press({ type: 'e' }, 'erase', 'enter')).toEqual([{ behavior: 'allow' }]);
});

test('offers no rule if there is none, or if it contains invisible characters', () => {
  const hidden = asked({ ...command, suggestions: ['Shell(rm\u200b *)'] });
  expect(hidden.lines().join('\n')).not.toContain('always');
  expect(hidden.press({ type: 'a' })).toEqual([]);
});

test('shows all hidden characters in a command and in names', () => {
  const text = 'echo a\u001b[2K\u202e\u200b';
  const shown = asked({
    ...command,
    effects: [{ kind: 'file', access: 'write', path: '/p/\u001b[2J', real: '/p/\u001b[2J' }],
    display: { title: text, body: { type: 'text', text } },
  }).lines();
  expect(shown[1]).toBe('  echo a\\u001b[2K\\u202e\\u{200b}');
  expect(shown).toContain('  writes /p/\\u001b[2J');
});

test('highlights what was added to an allowed command, and says why it asks', () => {
  const reason = 'command_injection_detected: no rule covers "curl evil"';
  const shown = asked({
    ...command,
    reason,
    decision: { behavior: 'ask', reason, injection: { code: 'command_injection_detected', part: 'curl evil' } },
    display: { title: 'git status; curl evil', body: { type: 'text', text: 'git status; curl evil' } },
  }).lines();
  expect(shown.slice(1, 3)).toEqual(['  git status; curl evil', '              ^^^^^^^^^']);
  expect(shown).toContain('  Why it asks: no rule covers "curl evil"');
});

test('folds long text, and expands it on request', () => {
  const text = Array.from({ length: 60 }, (_, index) => `echo ${index}`).join('\n');
  const { lines, press, dialog } = asked({ ...command, display: { title: 'echo 0', body: { type: 'text', text } } });
  expect(lines()).toContain('  … 40 more lines (ctrl+o)');
  expect(dialog.hint).toContain('ctrl+o');
  press('open');
  expect(lines()).toContain('  echo 59');
  expect(lines()).toContain('  · "ls src": allow, it only reads');
});

test('the deciding effect comes first, among any number', () => {
  const files = Array.from({ length: 40 }, (_, index) => `/p/out${index}`);
  const because = 'it runs the command "curl x"';
  const text = files.map((file) => `echo > ${file}`).join('\n');
  const ground = { about: 'curl x', effect: 40, behavior: 'ask', because, basis: 'default', decided: true } as const;
  const shown = asked({
    ...command,
    effects: [
      ...files.map((path) => ({ kind: 'file', access: 'write', path, real: path }) as const),
      { kind: 'command', text: 'curl x', harmless: false },
    ],
    reason: because,
    decision: { behavior: 'ask', reason: because, trail: [ground] },
    display: { title: 'echo > /p/out0 …', body: { type: 'text', text: `${text}\ncurl x` } },
  }).lines();
  expect(shown.slice(1, 3)).toEqual(['  echo > /p/out0', '  echo > /p/out1']);
  expect(shown).toContain('  … 22 more lines (ctrl+o)');
  expect(shown[shown.indexOf('  … 22 more lines (ctrl+o)') + 2]).toBe('  runs curl x');
});

test('names the child agent that made the call', () => {
  expect(asked({ ...edit, agent: { id: '1', type: 'explore' } }).lines(60)[0]).toMatch(
    /^── Allow Change\? \(agent explore\) ─+$/,
  );
});

test('fits into the width, and passes no control character to the terminal', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.constant('x'.repeat(300)));
  fc.assert(
    fc.property(text, text, text, fc.constantFrom(30, 40, 80, 120), fc.boolean(), (one, two, three, width, isOpen) => {
      const { dialog, press } = asked({
        ...command,
        tool: one,
        effects: [
          { kind: 'command', text: two, harmless: false, why: three },
          { kind: 'file', access: 'write', path: one, real: two },
          { kind: 'network', url: three },
        ],
        reason: three,
        display: { title: two, body: { type: 'text', text: `${one}${two}${three}` } },
        suggestions: [one],
      });
      if (isOpen) press('open');
      for (const line of dialog.render(width)) {
        expect(visibleWidth(line)).toBeLessThanOrEqual(width);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }
    }),
  );
});
