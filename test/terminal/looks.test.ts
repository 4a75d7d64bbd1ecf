import { join } from 'node:path';
import { expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);
const call = (name: string, input: unknown) => ({ name, input });

const files = {
  'price.js': 'export const lineTotal = (price, count) => price * count;\n',
  'cart.js': "import { lineTotal } from './price.js';\nexport const total = (items) => items.map(lineTotal);\n",
};

const failing = `import { test } from 'node:test';
import assert from 'node:assert/strict';
test('adds up', () => assert.equal(1, 1));
test('a discount leaves whole cents', () => assert.equal(1005, 905));
`;

inTerminal('the first screen names the version, the folder, the model, the mode and three keys', async () => {
  const { terminal } = await converse([], { columns: 60 });
  const screen = await terminal.shows('asks before it changes anything');
  expect(screen).toMatch(/Helve \d+\.\d+\.\d+/);
  expect(screen).toMatch(/▜█▌ {2}\S.*project/);
  expect(screen).toMatch(/▌ {2}claude-\S+ · asks/);
  expect(screen).toContain('/ for commands · @ for files');
});

inTerminal('reads and searches of a step are one line that keeps the pattern, and Ctrl-O shows each', async () => {
  const { terminal, say } = await converse(
    [
      {
        calls: [
          call('Read', { file_path: 'price.js' }),
          call('Read', { file_path: 'cart.js' }),
          call('Grep', { pattern: 'lineTotal', output_mode: 'content' }),
        ],
      },
      { text: 'Both seen.' },
    ],
    { files },
  );
  await say('look around');
  const screen = await terminal.shows('Both seen.');
  expect(screen).toMatch(/^✓ Read price\.js, cart\.js · searched "lineTotal" \(\d matching lines in 2 files\)$/m);
  await terminal.press('C-o');
  const unfolded = await terminal.shows(/✓ Grep lineTotal/);
  expect(unfolded).toMatch(/✓ Read \S*price\.js {2}1 line/);
  expect(unfolded).toMatch(/✓ Read \S*cart\.js {2}2 lines/);
});

inTerminal('a failing test is shown by its name, with the exit code', async () => {
  const { terminal, say } = await converse(
    [{ calls: [call('Bash', { command: 'node --test shop.test.mjs' })] }, { text: 'It fails.' }],
    { files: { 'shop.test.mjs': failing }, args: ['--allowedTools', 'Bash(node:*)'] },
  );
  await say('run the tests');
  const screen = await terminal.shows('It fails.');
  expect(screen).toMatch(/✗ Bash node --test shop\.test\.mjs {2}exit code 1/);
  expect(screen).toContain('a discount leaves whole cents');
  expect(screen).toMatch(/more lines \(ctrl\+o\)/);
});

inTerminal('paths of the project are relative, whatever the model sends', async () => {
  const held: { project: string } = { project: '' };
  const { terminal, say } = await converse(
    ({ body }) =>
      body.messages.length < 3
        ? { calls: [call('Read', { file_path: join(held.project, 'missing.js') })] }
        : { text: 'It is not there.' },
    { files },
  );
  held.project = terminal.project;
  await say('read it');
  const screen = await terminal.shows('It is not there.');
  expect(screen).toMatch(/✗ Read missing\.js/);
  const [, below = ''] = screen.split('read it');
  expect(below.split('\n').slice(0, -4).join('\n')).not.toContain(terminal.project);
});

inTerminal('without colours, bold text remains', async () => {
  const { terminal, say } = await converse([{ text: '## Result\n\nIt **works**.' }], { env: { NO_COLOR: '1' } });
  await say('does it work?');
  await terminal.shows('It works.');
  const screen = await terminal.styledScreen();
  expect(screen).toContain('\u001b[1mworks');
  expect(screen).not.toMatch(/\[(?:\d+;)*(?:3[0-7]|4[0-7]|38|48)(?:;\d+)*m/);
});

inTerminal('a prompt is a bar over the width, once in the scrollback after a resize', async () => {
  const { terminal, say } = await converse([{ text: 'Seen.' }], { env: { COLORTERM: 'truecolor' } });
  await say('find me again');
  await terminal.shows('Seen.');
  const line = (await terminal.styledScreen()).split('\n').find((each) => each.includes('find me again')) ?? '';
  expect(line).toMatch(/\[(?:\d+;)*48[;:]/);
  for (const columns of [60, 120, 80]) {
    await terminal.resize(columns, 40);
    await terminal.shows('Seen.');
  }
  await say('/todos');
  await terminal.shows('❯ /todos');
  expect((await terminal.scrollback()).match(/find me again/g)).toHaveLength(1);
});

inTerminal("the window's title shows the task and its state, and the old title returns", async () => {
  const held = Promise.withResolvers<void>();
  const { terminal, say } = await converse([{ text: 'Done.', holdAfter: { events: 3, until: held.promise } }]);
  expect(await terminal.title()).toBe('helve · project');
  await say('fix the tests');
  await terminal.shows('esc to stop');
  expect(await terminal.title()).toBe('● helve · fix the tests');
  held.resolve();
  await terminal.hides('esc to stop');
  expect(await terminal.title()).toBe('✓ helve · fix the tests');
  await say('/quit');
  await terminal.exitCode();
  expect(await terminal.title()).not.toContain('helve ·');
});

inTerminal("the user's own command shows its output in full", async () => {
  const { terminal, say } = await converse([]);
  await say('!seq 1 30');
  const screen = await terminal.shows(/✓ Bash seq 1 30/);
  expect(screen).toMatch(/^ {2}30$/m);
  expect(screen).not.toContain('more lines');
});
