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
  commandReasons: { 2: 'rm deletes files' },
  risks: [
    {
      kind: 'deletes',
      level: 'notable',
      undoable: true,
      text: 'deletes build → /elsewhere/build',
      effects: [3],
      part: 'rm -rf build',
    },
  ],
  suggestions: ['Shell(rm -rf build)'],
};

const edit: PermissionQuestion = {
  ...command,
  tool: 'Change',
  effects: [{ kind: 'file', access: 'write', path: '/p/a.ts', real: '/p/a.ts' }],
  decision: { behavior: 'ask', reason: 'it writes a file' },
  reason: 'it writes a file',
  risks: [],
  display: { title: 'a.ts', body: { type: 'diff', path: 'a.ts', patch: '@@ -1 +1 @@\n-a\n+b' } },
  suggestions: [],
};

const force: PermissionQuestion = {
  ...command,
  risks: [
    {
      kind: 'rewrites_history',
      level: 'high',
      undoable: false,
      text: 'overwrites commits of main on origin (force push)',
      effects: [2],
      part: 'rm -rf build',
    },
  ],
};

const harmless: PermissionQuestion = { ...command, risks: [] };

const keys = {
  enter: '\r',
  escape: '\u001b',
  down: '\u001b[B',
  up: '\u001b[A',
  open: '\u000f',
  erase: '\u0015',
  pageDown: '\u001b[6~',
  pageUp: '\u001b[5~',
};

function asked(question: PermissionQuestion, { theme = none, rows = 60 } = {}) {
  const answers: Array<PermissionAnswer | 'stop'> = [];
  const places = { project: ['/p'], home: ['/home/me'] };
  const facts = { question, places, rows: () => rows };
  const dialog = new PermissionDialog(theme, facts, (answer) => answers.push(answer));
  const press = (...pressed: Array<keyof typeof keys | { type: string }>): Array<PermissionAnswer | 'stop'> => {
    for (const each of pressed) {
      if (typeof each === 'string') dialog.handleInput(keys[each]);
      else for (const character of each.type) dialog.handleInput(character);
    }
    return answers;
  };
  const lines = (width = 80): string[] => dialog.render(width).map((line) => stripTerminalSequences(line).trimEnd());
  return { dialog, press, lines };
}

test('shows the command with the risky parts, the risks, the reason and three choices', () => {
  expect(asked(command).lines()).toEqual([
    expect.stringMatching(/^── Run this command\? ─+$/),
    '',
    '  ls src && rm -rf build',
    '            ^^^^^^^^^^^^',
    '',
    '  △ deletes build → /elsewhere/build · undo restores it',
    '  rm deletes files',
    '',
    '  Why it asks: no rule allows "rm -rf build" (/p/settings.json:4)',
    '',
    '  y  Yes',
    "  a  Yes, and don't ask again in this project for  Shell(rm -rf build)",
    '  n  No, and say what to do instead',
  ]);
});

test("the model's description of a command is the headline, quoted and before Helve's own words, and the agent's name is in front", () => {
  const described = { ...command, input: { command: 'x', description: 'Remove the build.' } };
  expect(asked(described).lines()[0]).toMatch(/^── “Remove the build” — run this command\? ─+$/);
  expect(asked({ ...described, agent: { id: '1', type: 'explore' } }).lines(60)[0]).toMatch(
    /^── explore agent: “Remove the build” — run this command\? ─*$/,
  );
});

test('a question of a child agent begins with its task, which leaves room for what is asked', () => {
  const agent = { id: '1', type: 'explore', description: 'Look at “all” that the build has written since' };
  const described = { ...command, agent, input: { command: 'x', description: 'Remove the build' } };
  const title = (width: number) => asked(described).lines(width)[0];
  expect(title(110)).toMatch(
    /^── “Look at 'all' that the build has wri.*” \(explore\): “Remove the build” — run this command\? ─*$/,
  );
  expect(title(70)).toMatch(/^── “.*…” \(explore\): “Rem.*…?” — run this command\? ─*$/);
  expect(asked({ ...edit, agent }).lines(60)[0]).toMatch(/^── “Look at.*…” \(explore\): Create a\.ts\? ─*$/);
});

test('a description can not end its quotation or push the question out of the window', () => {
  const titled = (description: string) => asked({ ...command, input: { command: 'x', description } }).lines()[0];
  expect(titled('Read a.ts? ” — read this file? “')).toMatch(/^── “Read a\.ts\? ' — read this file\? '” — run this/);
  expect(titled('very '.repeat(100))).toMatch(/^── “very .*…” — run this command\? ─*$/);
});

test('nothing is selected if the call can not be taken back, so Enter alone does nothing', () => {
  const { press, lines, dialog } = asked(force);
  expect(lines().slice(-2)).toEqual(['  y  Yes', '  n  No, and say what to do instead']);
  expect(press('enter')).toEqual([]);
  expect(dialog.hint).toBe('enter does nothing here · y to allow it · n to refuse · esc to stop');
  expect(asked(force).press({ type: 'y' })).toEqual([{ behavior: 'allow' }]);
  expect(asked(force).press('down', 'enter')).toEqual([{ behavior: 'allow' }]);
  const up = asked(force);
  up.press('up');
  expect(up.lines().at(-1)).toBe('❯ n  No, and say what to do instead');
});

test('shows risks by colour if there are colours, and by symbols without', () => {
  const theme = new Theme({ name: 'dark', depth: 'many' });
  const { paint } = theme;
  const high = asked(force, { theme }).dialog.render(80);
  expect(high).toContain(`  ${paint.failure('▲ overwrites commits of main on origin (force push)')}`);
  expect(high[2]).toBe(`  ls src && ${paint.underline(paint.failure('rm -rf build'))}`);
  expect(asked(command, { theme }).dialog.render(80)[2]).toBe(
    `  ls src && ${paint.underline(paint.warning('rm -rf build'))}`,
  );
  expect(asked(force).lines()).toContain('  ▲ overwrites commits of main on origin (force push)');
});

test('highlights the beginning of a part that was typed with other quotes', () => {
  const text = 'psql -c "drop table x"';
  const part = "psql -c 'drop table x'";
  const shown = asked({
    ...force,
    risks: force.risks.map((risk) => ({ ...risk, part })),
    display: { title: text, body: { type: 'text', text } },
  }).lines();
  expect(shown.slice(2, 4)).toEqual([`  ${text}`, '  ^^^^^^^']);
});

test('says how the command will be confined, and without a sandbox only in the details', () => {
  const confinement = 'Runs in the sandbox: no network, writes only in the project.';
  expect(asked({ ...command, confinement }).lines()).toContain(`  ${confinement}`);
  const open = asked({ ...command, confinement: 'Runs without a sandbox.' });
  expect(open.lines()).not.toContain('  Runs without a sandbox.');
  open.press('open');
  expect(open.lines()).toContain('  Runs without a sandbox.');
  const hidden = asked({ ...command, confinement: 'Runs \u001b[2Jsafely.' }).dialog.render(80);
  expect(hidden.join('')).not.toContain('\u001b[2J');
});

test.each([40, 80, 120])('fits into %i columns, with every choice on the screen', (width) => {
  const { dialog, lines, press } = asked(command);
  press({ type: 'm' });
  for (const line of dialog.render(width)) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
  expect(lines(width).filter((line) => /^[ ❯] [yasen] {2}/.test(line))).toHaveLength(5);
  expect(lines(width).join('\n')).toContain('/elsewhere/build');
});

test('shows a change as a diff, and offers to accept edits', () => {
  const { lines, press } = asked(edit);
  expect(lines(40)).toEqual([
    '── Create a.ts? ────────────────────────',
    '',
    '  1 - a',
    '  1 + b',
    '',
    '  Why it asks: it writes a file',
    '',
    '❯ y  Yes',
    '  a  Yes, and accept edits from now on',
    '  n  No, and say what to do instead',
  ]);
  expect(press({ type: 'a' })).toEqual([{ behavior: 'allow', mode: 'acceptEdits' }]);
});

test('a command that only redirects is no edit, so that accepting edits is not offered', () => {
  const lines = asked({ ...edit, confinement: 'Runs without a sandbox.' }).lines();
  expect(lines.join('\n')).not.toContain('accept edits');
  expect(lines[0]).toContain('Run this command?');
});

test('says that undo restores only what it could copy', () => {
  const risks = command.risks.map((risk) => ({ ...risk, undoable: 'perhaps' as const }));
  expect(
    asked({ ...command, risks })
      .lines()
      .join('\n'),
  ).toContain('· undo restores what it could copy');
});

test('a change of an existing file is named as the call will be, and several files are counted', () => {
  const file = (path: string) => ({ kind: 'file', access: 'write', path, real: path, identity: '1:2' }) as const;
  expect(asked({ ...edit, effects: [file('/p/a.ts')] }).lines()[0]).toMatch(/^── Change a\.ts\? /);
  expect(asked({ ...edit, effects: [file('/p/a.ts'), file('/p/b.ts')] }).lines()).toContain('  writes a.ts, b.ts');
});

test('has one key for each answer; a digit, which is not shown, does nothing', () => {
  const rules = ['Shell(rm -rf build)'];
  const remembered = (scope: string) => [{ behavior: 'allow', remember: { rules, scope } }];
  expect(asked(command).press('enter')).toEqual([]);
  expect(asked(harmless).press('enter')).toEqual([{ behavior: 'allow' }]);
  expect(asked(command).press({ type: 'y' })).toEqual([{ behavior: 'allow' }]);
  expect(asked(command).press({ type: 'a' })).toEqual(remembered('always'));
  expect(asked(command).press({ type: '2' })).toEqual([]);
  expect(asked(force).press({ type: 'm2' })).toEqual([]);
  const { press, dialog } = asked(harmless);
  expect(press({ type: '3' }, 'enter')).toEqual([{ behavior: 'allow' }]);
  press({ type: '3' });
  expect(dialog.hint).toContain('“3” is no choice');
  expect(asked(command).press({ type: 's' })).toEqual([]);
  expect(asked(command).press({ type: 'ms' })).toEqual(remembered('session'));
});

test('Esc stops the turn', () => {
  expect(asked(command).press('escape')).toEqual(['stop']);
});

test('refuses with a reason, or without one', () => {
  expect(asked(command).press({ type: 'n' }, { type: 'keep it, yes' }, 'enter')).toEqual([
    { behavior: 'deny', reason: 'keep it, yes' },
  ]);
  expect(asked(command).press('up', 'enter', 'enter')).toEqual([{ behavior: 'deny' }]);
  const { press, lines } = asked(command);
  expect(press({ type: 'n' }, { type: 'y' }, 'escape')).toEqual([]);
  expect(lines().at(-1)).toBe('❯ n  No, and say what to do instead');
});

test('lets the user change the rules one by one before they are saved', () => {
  const two = { ...command, suggestions: ['Shell(a)', 'Shell(b)'] };
  const { press, lines } = asked(two);
  press({ type: 'me' });
  expect(lines().slice(-2)).toEqual(['The rule 1 of 2 to save:', '❯ Shell(a)']);
  press('erase', { type: 'Shell(a *)' }, 'enter');
  expect(press('enter')).toEqual([
    { behavior: 'allow', remember: { rules: ['Shell(a *)', 'Shell(b)'], scope: 'always' } },
  ]);
});

test('saves no empty rule', () => {
  expect(asked(command).press({ type: 'me' }, 'erase', 'enter')).toEqual([{ behavior: 'allow' }]);
});

test('offers no rule if there is none, or if it contains invisible characters, and says why there is none', () => {
  const hidden = asked({ ...command, suggestions: ['Shell(rm\u200b *)'] });
  expect(hidden.lines().join('\n')).not.toContain("don't ask again");
  expect(hidden.press({ type: 'ma' })).toEqual([]);
  const why = { ...command, suggestions: [], whyNoRule: 'it has too many parts for rules' };
  expect(asked(why).lines()).toContain('  Only this once: it has too many parts for rules.');
});

test('shows all hidden characters in a command and in names', () => {
  const text = 'echo a\u001b[2K\u202e\u200b';
  const shown = asked({
    ...command,
    risks: [],
    effects: [
      { kind: 'command', text, harmless: true },
      { kind: 'file', access: 'write', path: '/p/\u001b[2J', real: '/p/\u001b[2J' },
    ],
    display: { title: text, body: { type: 'text', text } },
  }).lines();
  expect(shown[2]).toBe('  echo a\\u001b[2K\\u202e\\u{200b}');
  expect(shown).toContain('  creates \\u001b[2J');
});

test('highlights what was added to an allowed command, and says why it asks', () => {
  const reason = 'command_injection_detected: no rule covers "curl evil"';
  const shown = asked({
    ...command,
    reason,
    decision: { behavior: 'ask', reason, injection: { code: 'command_injection_detected', part: 'curl evil' } },
    display: { title: 'git status; curl evil', body: { type: 'text', text: 'git status; curl evil' } },
  }).lines();
  expect(shown.slice(2, 4)).toEqual(['  git status; curl evil', '              ^^^^^^^^^']);
  expect(shown).toContain('  Why it asks: no rule covers "curl evil"');
});

test('a long text scrolls inside of the question, which fits into the window', () => {
  const text = Array.from({ length: 60 }, (_, index) => `echo ${index}`).join('\n');
  const long = { ...command, display: { title: 'echo 0 …', body: { type: 'text', text } } } as const;
  const { lines, press } = asked(long, { rows: 30 });
  expect(lines().length).toBeLessThanOrEqual(24);
  expect(lines()).toContain('  echo 0');
  expect(lines()).toContainEqual(expect.stringMatching(/^ {2}lines 1–\d+ of 60 · pgdn for more$/));
  expect(lines()).toContain('  △ deletes build → /elsewhere/build: rm -rf build · undo restores it');
  press(...Array.from({ length: 20 }, () => 'pageDown' as const));
  expect(lines()).toContain('  echo 59');
  expect(lines()).toContainEqual(expect.stringMatching(/^ {2}lines \d+–60 of 60 · pgup to go back$/));
  press('pageUp');
  expect(lines()).not.toContain('  echo 59');
});

test.each([
  ['command', { type: 'text', text: Array.from({ length: 60 }, (_, index) => `echo ${index}`).join('\n') }],
  ['diff', { type: 'diff', path: 'a.ts', patch: `@@ -0,0 +1,60 @@${'\n+line'.repeat(60)}` }],
] as const)('nothing is selected until a long %s has been scrolled to its end', (_, body) => {
  const { lines, press, dialog } = asked({ ...edit, display: { title: 'a.ts', body } }, { rows: 30 });
  const selected = () => lines().filter((line) => line.startsWith('❯'));
  expect(selected()).toEqual([]);
  expect(lines().slice(-2)).toEqual([
    expect.stringMatching(/^ {2}y {2}Yes, without reading the last \d+ lines$/),
    '  n  No, and say what to do instead',
  ]);
  expect(dialog.hint).toContain('pgdn to read on');
  expect(press({ type: 'a' }, { type: 'ma' }, 'enter')).toEqual([]);
  for (let page = 0; page < 20; page += 1) {
    lines();
    press('pageDown');
  }
  expect(selected()).toEqual(['❯ y  Yes']);
  expect(press('enter')).toEqual([{ behavior: 'allow' }]);
});

test('reading to the end keeps the answer that was selected on the way', () => {
  const text = Array.from({ length: 60 }, (_, index) => `echo ${index}`).join('\n');
  const { lines, press } = asked({ ...command, display: { title: '', body: { type: 'text', text } } }, { rows: 30 });
  lines();
  press('up');
  for (let page = 0; page < 20; page += 1) press('pageDown');
  expect(lines().at(-1)).toBe('❯ n  No, and say what to do instead');
});

test('of a long command, a risk quotes its part', () => {
  const text = `${'echo a\n'.repeat(60)}rm -rf build`;
  const long = { ...force, display: { title: '', body: { type: 'text', text } } } as const;
  expect(asked(long, { rows: 30 }).lines()).toContain(
    '  ▲ overwrites commits of main on origin (force push): rm -rf build',
  );
});

test('the details name each part and what decided, without what concerns the session alone', () => {
  const trail = [
    {
      about: "the session's cwd",
      effect: 0,
      behavior: 'allow',
      because: 'it concerns this session alone',
      basis: 'session',
      decided: false,
    },
    {
      about: '"npm test"',
      effect: 1,
      behavior: 'ask',
      because: 'it runs the command "npm test"',
      basis: 'default',
      decided: true,
    },
  ] as const;
  const { lines, press } = asked({
    ...command,
    risks: [],
    effects: [
      { kind: 'session', what: 'cwd', access: 'write' },
      { kind: 'command', text: 'npm test', harmless: false },
    ],
    decision: { behavior: 'ask', reason: 'it runs the command "npm test"', trail },
  });
  press('open');
  expect(lines()).toContain('  • npm test: no rule covers it');
  expect(lines().join('\n')).not.toContain('cwd');
});

test('a risk is not repeated as the reason of the question', () => {
  const about = '"rm -rf /"';
  const because = 'it removes /, the root of the file system';
  const shown = asked({
    ...force,
    effects: [{ kind: 'file', access: 'write', path: '/', real: '/', removes: true, tree: true }],
    risks: [{ kind: 'deletes', level: 'high', undoable: false, text: 'deletes /', effects: [0], part: 'rm -rf /' }],
    decision: {
      behavior: 'ask',
      reason: because,
      trail: [{ about, effect: 0, behavior: 'ask', because, basis: 'critical_path', decided: true }],
    },
    reason: because,
    suggestions: [],
    whyNoRule: 'no rule can allow this',
  }).lines();
  expect(shown.join('\n')).not.toContain('Why it asks');
  expect(shown).toContain('  No rule can allow this.');
});

test('what a command does is not repeated below its risk', () => {
  const shown = asked({
    ...force,
    effects: [
      { kind: 'command', text: 'bash', argv: ['bash'], harmless: false, why: 'it runs what comes on standard input' },
    ],
    risks: [
      {
        kind: 'downloaded_code',
        level: 'high',
        undoable: false,
        text: 'runs code that it downloads',
        effects: [1],
        part: 'bash',
      },
    ],
  }).lines();
  expect(shown.join('\n')).not.toContain('standard input');
});

test('a large replacement shows removed and added lines in equal parts on the first screen', () => {
  const side = (sign: string) => Array.from({ length: 60 }, (_, index) => `${sign}line ${index}`);
  const patch = ['@@ -1,60 +1,60 @@', ...side('-'), ...side('+')].join('\n');
  const large = { ...edit, display: { title: 'a.ts', body: { type: 'diff', path: 'a.ts', patch } } } as const;
  const shown = asked(large, { rows: 30 }).lines();
  const removed = shown.filter((line) => / - line/.test(line)).length;
  const added = shown.filter((line) => / \+ line/.test(line)).length;
  expect(added).toBeGreaterThan(3);
  expect(Math.abs(removed - added)).toBeLessThanOrEqual(3);
});

test('effects are never folded: if there is no room for them, they scroll with the rest', () => {
  const files = Array.from({ length: 40 }, (_, index) => `/elsewhere/a-rather-long-name-of-a-file-${index}`);
  const { lines, press } = asked(
    {
      ...command,
      risks: [],
      effects: [
        { kind: 'command', text: 'x', harmless: false },
        ...files.map((path) => ({ kind: 'file', access: 'write', path, real: path }) as const),
      ],
    },
    { rows: 24 },
  );
  const seen = new Set<string>();
  for (let page = 0; page < 20; page += 1) {
    for (const line of lines()) seen.add(line);
    press('pageDown');
  }
  const all = [...seen].join('\n');
  for (const file of files) expect(all).toContain(file);
  expect(lines().length).toBeLessThanOrEqual(20);
});

test('in a small window the command and its risks stay visible, and Enter alone chooses nothing', () => {
  const { lines, press, dialog } = asked(
    {
      ...command,
      display: { title: 'echo one …', body: { type: 'text', text: 'echo one\necho two\necho three\nrm -rf build' } },
    },
    { rows: 10 },
  );
  const shown = lines(60);
  expect(shown.length).toBeLessThanOrEqual(6);
  expect(shown.slice(1)).toEqual([
    '  echo one',
    '  echo two',
    '  enlarge the window, or pgdn to read all',
    '  △ deletes build → /elsewhere/build · undo restores it',
    '  y Yes · n No · m more · esc',
  ]);
  expect(press('enter')).toEqual([]);
  expect(dialog.hint).toBe('enter does nothing yet: pgdn to read on · y to allow it · n to refuse · esc to stop');
  expect(press({ type: 'a' })).toEqual([]);
  press('pageDown', 'pageDown', 'pageDown', 'pageDown', 'pageDown', 'pageDown', 'pageDown', 'pageDown');
  expect(press({ type: 'y' })).toEqual([{ behavior: 'allow' }]);
});

test('in a window of medium height only the empty lines go', () => {
  const { lines, press } = asked(harmless, { rows: 15 });
  expect(lines()).not.toContain('');
  expect(lines()).toContain('❯ y  Yes');
  expect(lines().length).toBeLessThanOrEqual(12);
  expect(press('enter')).toEqual([{ behavior: 'allow' }]);
});

test('a large diff is shown to its last line, and to the end of its longest line', () => {
  const added = [...Array.from({ length: 5_000 }, (_, index) => `+line ${index}`), `+${'x'.repeat(30_000)}END`];
  const patch = `@@ -0,0 +1,5001 @@\n${added.join('\n')}`;
  const large = { ...edit, display: { title: 'a.ts', body: { type: 'diff', path: 'a.ts', patch } } } as const;
  const { lines, press } = asked(large, { rows: 30 });
  expect(lines().join('\n')).toMatch(/lines 1–\d+ of \d{4}/);
  press(...Array.from({ length: 1_000 }, () => 'pageDown' as const));
  expect(lines().join('\n')).toContain('xEND');
});

test('warns if a change is too large to be shown, and selects nothing', () => {
  const body = { type: 'diff', path: 'a.ts', patch: '(the difference is too large to show)', isPartial: true } as const;
  const { lines, press } = asked({ ...edit, display: { title: 'a.ts', body } });
  expect(lines().join('\n')).toContain('▲ Not everything is shown: the change is too large.');
  expect(lines().some((line) => line.startsWith('❯'))).toBe(false);
  expect(press('enter')).toEqual([]);
});

test('a new file outside the project is not approved by Enter alone, and accepting edits is not offered', () => {
  const text = 'creates /etc/motd, outside the project';
  const { lines, press } = asked({
    ...edit,
    risks: [{ kind: 'writes_outside', level: 'notable', undoable: true, text, effects: [0] }],
  });
  expect(lines().some((line) => line.startsWith('❯'))).toBe(false);
  expect(lines().join('\n')).not.toContain('accept edits');
  expect(press('enter')).toEqual([]);
  expect(press({ type: 'y' })).toEqual([{ behavior: 'allow' }]);
});

test('fits into the width, and passes no control character to the terminal', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.constant('x'.repeat(300)));
  fc.assert(
    fc.property(text, text, text, fc.constantFrom(30, 40, 80, 120), fc.boolean(), (one, two, three, width, isOpen) => {
      const { dialog, press } = asked({
        ...command,
        tool: one,
        input: { description: two },
        risks: [{ kind: 'unknown', level: 'high', undoable: false, text: three, effects: [0], part: two }],
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

test('a question about the network names the action and what it is about, not the tool', () => {
  const question: PermissionQuestion = {
    ...edit,
    tool: 'WebFetch',
    effects: [{ kind: 'network', url: 'https://example.com/' }],
    display: { action: 'Fetch', title: 'https://example.com/' },
  };
  expect(asked(question).lines().join('\n')).toContain('Fetch https://example.com/?');
});

const outside: PermissionQuestion = {
  ...edit,
  effects: [{ kind: 'file', access: 'read', path: '/etc/hosts', real: '/etc/hosts' }],
  display: { title: '/etc/hosts' },
};

test('a read outside the project says why it is asked about, and names the file once', () => {
  const { lines } = asked(outside);
  expect(lines().slice(0, 4)).toEqual([
    expect.stringMatching(/^── Read \/etc\/hosts\? ─+$/),
    '',
    '  reads outside the project',
    '',
  ]);
  expect(lines(20).join('\n')).toContain('  /etc/hosts');
});

test('the command is shown even if its description repeats it', () => {
  const input = { command: 'npm test', description: 'npm test' };
  const display = { title: 'npm test' };
  const effects = [{ kind: 'command' as const, text: 'npm test', harmless: false, why: 'it can run any code' }];
  expect(asked({ ...command, input, display, effects, risks: [] }).lines()).toContain('  npm test');
});

test('a device that is overwritten is not called a new file, and undo removes what is created', () => {
  const device = { kind: 'file' as const, access: 'write' as const, path: '/dev/sda', real: '/dev/sda' };
  const risks = [
    { ...force.risks[0], text: 'overwrites the disk /dev/sda' },
    { ...command.risks[0], text: 'creates /tmp/a, outside the project' },
  ] as PermissionQuestion['risks'];
  const text = asked({ ...command, effects: [...command.effects, device], risks })
    .lines()
    .join('\n');
  expect(text).toContain('▲ overwrites the disk /dev/sda');
  expect(text).not.toContain('creates /dev/sda');
  expect(text).toContain('△ creates /tmp/a, outside the project · undo removes it');
});

test.each([
  ['short', 'beside each other', /1 - old 0 +│ {2}1 \+ new 0/],
  ['long', 'one below the other', /1 - old 0[^│]*$/m],
])('in a wide window, a large change with %s lines is shown with its sides %s', (size, _, expected) => {
  const end = size === 'long' ? ' // a comment that is as long as the comments of real code often are, or longer' : '';
  const of = (sign: string, word: string) => Array.from({ length: 60 }, (__, at) => `${sign}${word} ${at}${end}`);
  const patch = ['@@ -1,60 +1,60 @@', ...of('-', 'old'), ...of('+', 'new')].join('\n');
  const text = asked({ ...edit, display: { title: 'a.ts', body: { type: 'diff', path: 'a.ts', patch } } }, { rows: 48 })
    .lines(200)
    .join('\n');
  expect(text).toMatch(expected);
  expect(Number(/lines 1–(\d+) of/.exec(text)?.[1])).toBeGreaterThan(25);
});

test("the headline says what can't be undone, and the risk is not repeated below it", () => {
  const [risk] = force.risks;
  const input = { command: 'x', description: 'Publish the fix' };
  const shown = asked({ ...force, input, irreversible: risk?.text ?? '' }).lines();
  expect(shown[0]).toMatch(/^── ▲ Can't be undone: overwrites commits of main on origin \(force push\) ─+$/);
  expect(shown.filter((line) => line.includes('overwrites commits'))).toHaveLength(1);
  expect(shown).toContain("  The model's description: “Publish the fix”");
});

test('a program that is not known before it runs is said once', () => {
  const why = 'which program $TOOL runs is not known before it runs';
  const effects: PermissionQuestion['effects'] = [
    { kind: 'command', text: '$TOOL --all', harmless: false, why: 'its name is not known before it runs' },
    { kind: 'unknown', why },
  ];
  const risks: PermissionQuestion['risks'] = [
    { kind: 'unknown', level: 'high', undoable: false, text: why, effects: [1] },
  ];
  const shown = asked({ ...command, effects, risks }).lines();
  expect(shown.filter((line) => line.includes('known before it runs'))).toEqual([`  ▲ ${why}`]);
});

test('the place that a file is moved to is named once, and harmless writes not below a grave risk', () => {
  const write = (path: string, more: object) =>
    ({ kind: 'file', access: 'write', path, real: path, by: { command: 0, as: 'operand' }, ...more }) as const;
  const run = { kind: 'command', text: 'mv a ../b', harmless: false, why: 'it writes' } as const;
  const moved = asked({
    ...command,
    risks: [],
    effects: [run, write('/b', { tree: true }), write('/b/a', {})],
  }).lines();
  expect(moved.filter((line) => line.includes('/b'))).toEqual(['  writes below /b']);
  const grave = { ...force, effects: [run, write('/p', { tree: true })] };
  expect(asked(grave).lines().join('\n')).not.toContain('project folder');
});

test('a rule for an absolute path explains its slashes', () => {
  const shown = asked({ ...edit, suggestions: ['Edit(//tmp/out.txt)'] }, { rows: 60 });
  shown.press({ type: 'm' });
  expect(shown.lines().join('\n')).toContain('Edit(//tmp/out.txt) (// begins an absolute path)');
});
