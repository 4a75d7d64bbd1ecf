import { expect, test } from 'vitest';
import type { AgentHappening } from '../../contract/event.js';
import { History } from '../screen/history.js';
import { Theme } from '../screen/theme.js';
import { EventViews } from './event-views.js';

const call = (callId: string, title: string): AgentHappening => ({
  type: 'tool_call',
  callId,
  tool: 'Count',
  input: {},
  display: { title },
});
const ended = (callId: string, text: string): AgentHappening => ({
  type: 'tool_result',
  callId,
  tool: 'Count',
  result: { type: 'tool_result', tool_use_id: callId, content: text },
  display: { title: 'to ten', body: { type: 'text', text } },
});

function viewsOf(...events: AgentHappening[]) {
  const history = new History();
  const views = new EventViews(history, new Theme({ name: 'none', depth: 'basic' }), {
    now: () => 0,
  });
  for (const event of events) views.take(event);
  return { views, history, lines: (width = 60) => history.render(width).map((line) => line.trimEnd()) };
}

test('text, calls and prompts are shown in the order of arrival', () => {
  const { views, lines } = viewsOf();
  views.said('count for me');
  views.take({ type: 'text_delta', text: 'I will **count**' });
  views.take({ type: 'text_delta', text: ' now.' });
  views.take(call('a', 'to ten'));
  views.take(call('b', 'to two'));
  views.take(ended('b', '1 2'));
  views.take(ended('a', '1 … 10'));
  views.take({ type: 'text_delta', text: 'Done.' });
  expect(lines()).toEqual([
    '',
    '─'.repeat(14),
    '❯ count for me',
    '',
    'I will count now.',
    '',
    '✓ Count to ten',
    '  1 … 10',
    '',
    '✓ Count to ten',
    '  1 2',
    '',
    'Done.',
  ]);
});

test('an empty line is above a notice, and notices that follow each other are one block', () => {
  const { lines } = viewsOf(
    { type: 'text_delta', text: 'Done.' },
    { type: 'assistant_message', id: 'm', model: 'x', message: { role: 'assistant', content: [] } },
    { type: 'notice', text: 'One.' },
    { type: 'notice', text: 'Two.' },
  );
  expect(lines()).toEqual(['', 'Done.', '', '! One.', '! Two.']);
});

test('an answer that starts over removes its earlier text', () => {
  const { lines } = viewsOf(
    { type: 'turn_start', turn: 1 },
    { type: 'text_delta', text: 'Half a sen' },
    { type: 'answer_restart' },
    { type: 'text_delta', text: 'A whole one.' },
  );
  expect(lines()).toEqual(['', 'A whole one.']);
});

test('a call that broke off in its input is removed when the run goes on, and the others stay', () => {
  const begun = (callId: string) => ({
    type: 'tool_input' as const,
    callId,
    tool: 'Look',
    delta: '{',
    input: () => ({}),
    display: () => ({ title: `${callId}.ts` }),
  });
  const { views, lines } = viewsOf({ type: 'turn_start', turn: 1 }, ...looked('a', 'a.ts', 'read'), begun('b'));
  expect(lines().join()).toContain('b.ts');
  views.take({ type: 'turn_start', turn: 2 });
  expect(lines()).toEqual(['', '✓ Look a.ts']);
});

test('details are what is folded since the last prompt, and the transcript stays folded', () => {
  const text = Array.from({ length: 9 }, (_, index) => `line ${index}`).join('\n');
  const { views, lines } = viewsOf(call('a', 'x'), ended('a', text));
  expect(lines()).not.toContain('  line 8');
  expect(views.details(60)).toContain('  line 8');
  expect(lines()).not.toContain('  line 8');
  views.said('next');
  views.take(call('b', 'x'));
  lines();
  expect(views.details(60)).toContain('  line 8'); // it is still on the screen
});

test('the activity of child agents is left to the panel', () => {
  const { lines } = viewsOf(
    call('a', 'with help'),
    { type: 'tool_start', callId: 'a', tool: 'Count' },
    {
      type: 'agent_event',
      agentId: '1',
      agentType: 'Explore',
      parentCallId: 'a',
      event: { at: 0, ...call('b', 'two') },
    },
    { type: 'tool_progress', callId: 'a', tool: 'Count', text: 'Count two' },
  );
  expect(lines()).toEqual([]);
});

test('a call that writes the todo list leaves no line', () => {
  const { lines } = viewsOf(call('a', '1 todo'), {
    type: 'tool_result',
    callId: 'a',
    tool: 'Count',
    result: { type: 'tool_result', tool_use_id: 'a', content: '' },
    display: { title: '', body: { type: 'todos', items: [] } },
  });
  expect(lines()).toEqual([]);
});

test('a call after the todo list begins with an empty line, as it would without it', () => {
  const { lines } = viewsOf(
    { type: 'text_delta', text: 'I begin.' },
    {
      type: 'tool_call',
      callId: 't',
      tool: 'List',
      input: {},
      display: { title: '', body: { type: 'todos', items: [] } },
    },
    call('a', 'to ten'),
  );
  expect(lines().slice(0, 3)).toEqual(['', 'I begin.', '']);
  expect(lines()[3]).toContain('Count to ten');
});

test('a retry leaves no line', () => {
  const { lines } = viewsOf({
    type: 'model_retry',
    ...{ attempt: 1, maxRetries: 10, waitMs: 500, reason: 'Overloaded.', provider: 'a', model: 'b' },
  });
  expect(lines()).toEqual([]);
});

test('the output of a failed call keeps its colours', () => {
  const history = new History();
  const theme = new Theme({ name: 'dark', depth: 'many' });
  const views = new EventViews(history, theme, { now: () => 0 });
  views.take(call('a', 'to ten'));
  views.take({
    type: 'tool_result',
    callId: 'a',
    tool: 'Count',
    display: { title: 'to ten', body: { type: 'output', text: 'red', styled: '\u001b[31mred\u001b[0m' } },
    result: { type: 'tool_result', tool_use_id: 'a', content: 'Exit code 1\nred', is_error: true },
    problem: 'Exit code 1',
  });
  const [head = '', ...output] = history.render(60).slice(-2);
  expect(head).toContain('exit code 1');
  expect(output).toEqual(['  \u001b[31mred\u001b[0m']);
});

test('a question about a call that is not shown yet applies once it is', () => {
  const { views, lines } = viewsOf();
  views.asking('a');
  views.take(call('a', 'to ten'));
  expect(lines()).toEqual([]); // the question shows it
});

test('control characters are shown, not executed', () => {
  const { lines } = viewsOf(
    { type: 'text_delta', text: 'a\u001b[2Jb' },
    { type: 'notice', text: 'c\u001b]0;title\u0007d' },
    call('a', 'e\u001b[31mf'),
  );
  expect(lines().join('')).not.toContain('\u001b');
});

test('a call that ends after it has scrolled off is shown once more', () => {
  const history = new History();
  const views = new EventViews(history, new Theme({ name: 'none', depth: 'basic' }), {
    now: () => 0,
  });
  views.take(call('a', 'to ten'));
  views.take({ type: 'text_delta', text: 'Meanwhile.' });
  const shown = history.render(60);
  history.scrolled(shown.length - 1); // all but the last line
  views.take(ended('a', '1 … 10'));
  expect(history.render(60).map((text) => text.trimEnd())).toEqual([
    ...shown.slice(0, -1).map((text) => text.trimEnd()),
    '',
    '✓ Count to ten',
    '  1 … 10',
    '',
    'Meanwhile.', // the answer goes on
  ]);
});

const noUsage = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

const looked = (
  callId: string,
  title: string,
  looks: 'read' | 'search' | 'find',
  facts: string[] = [],
  file = title,
): AgentHappening[] => [
  { type: 'tool_call', callId, tool: 'Look', input: {}, display: { title, looks, file } },
  { type: 'tool_start', callId, tool: 'Look' },
  {
    type: 'tool_result',
    callId,
    tool: 'Look',
    result: { type: 'tool_result', tool_use_id: callId, content: 'x' },
    display: { title, looks, facts, file },
  },
];

test('calls that only look are one line with their patterns, and one line each when expanded', () => {
  const { views, lines } = viewsOf(
    ...looked('a', 'src/a.ts', 'read', ['3 lines']),
    ...looked('b', 'src/b.ts', 'read', ['5 lines']),
    { type: 'turn_end', turn: 1, stopReason: 'tool_use', usage: noUsage },
    { type: 'turn_start', turn: 2 },
    ...looked('c', 'lineTotal in src', 'search', ['6 matching lines in 3 files']),
  );
  expect(lines(110)).toEqual([
    '',
    '✓ Read src/a.ts, src/b.ts · searched "lineTotal" in src (6 matching lines in 3 files)',
  ]);
  expect(lines(60)).toEqual(['', '✓ Read src/a.ts, src/b.ts · searched "lineTotal" in src']);
  expect(views.details(60)).toEqual([
    '✓ Look src/a.ts  3 lines',
    '✓ Look src/b.ts  5 lines',
    '✓ Look lineTotal in src  6 matching lines in 3 files',
  ]);
});

test('names are kept as long as they fit, and a search for files says what it found', () => {
  const files = ['a', 'b', 'c', 'd'].flatMap((name) => looked(name, `src/${name}.ts`, 'read'));
  const { lines } = viewsOf(...files, ...looked('e', '**/*.js', 'find'));
  expect(lines(80)).toEqual(['', '✓ Read src/a.ts, src/b.ts, src/c.ts, src/d.ts · found **/*.js']);
  expect(lines(50)).toEqual(['', '✓ Read 4 files · found **/*.js']);
});

const interrupted: AgentHappening = {
  type: 'result',
  outcome: 'interrupted',
  text: 'Interrupted.',
  turns: 1,
  stopReason: null,
  usage: noUsage,
  costUsd: 0,
  models: [],
  modelMs: 0,
  totalMs: 0,
  denials: [],
};

test('an interrupt is told once', () => {
  const call = { callId: 'a', tool: 'Run' };
  const { lines } = viewsOf(
    { type: 'turn_start', turn: 1 },
    { type: 'tool_call', ...call, input: {}, display: { title: 'npm test' } },
    {
      type: 'tool_result',
      ...call,
      result: { type: 'tool_result', tool_use_id: 'a', content: 'x', is_error: true },
      failure: 'interrupted',
      problem: 'Interrupted before it ran.',
      display: { title: 'npm test' },
    },
    interrupted,
  );
  const next = '· Say what to do instead, or "go on" to continue.';
  expect(lines()).toEqual(['', '■ Run npm test  interrupted before it ran', '', next]);
});

test('a file that is read in parts counts once, and so does a search that is repeated', () => {
  const { lines } = viewsOf(
    ...looked('a', 'src/a.ts', 'read'),
    ...looked('b', 'src/a.ts from line 100', 'read', [], 'src/a.ts'),
    ...looked('c', 'src/a.ts from line 200', 'read', [], 'src/a.ts'),
    ...looked('d', 'src/b.ts', 'read'),
    ...looked('e', 'total in src', 'search', ['2 matching lines']),
    ...looked('f', 'total in src', 'search', ['3 matching lines']),
  );
  expect(lines(110)).toEqual(['', '✓ Read src/a.ts, src/b.ts · searched "total" in src (3 matching lines)']);
  expect(lines(45)).toEqual(['', '✓ Read 2 files · searched "total" in src']);
});

test('a call with a question leaves the line of those that look until it runs', () => {
  const { views, lines } = viewsOf(...looked('a', 'a.ts', 'read'), ...looked('b', 'b.ts', 'read'));
  views.take({ type: 'tool_call', callId: 'c', tool: 'Look', input: {}, display: { title: 'c.ts', looks: 'read' } });
  expect(lines()).toEqual(['', '● Reading a.ts, b.ts, c.ts']);
  views.asking('c');
  expect(lines()).toEqual(['', '✓ Read a.ts, b.ts']); // the question shows c.ts
  views.take({ type: 'tool_start', callId: 'c', tool: 'Look' });
  expect(lines()).toEqual(['', '● Reading a.ts, b.ts, c.ts']);
});

test('an answer that starts over keeps the calls of the turn before', () => {
  const { lines } = viewsOf(
    { type: 'turn_start', turn: 1 },
    ...looked('a', 'a.ts', 'read'),
    { type: 'turn_start', turn: 2 },
    { type: 'tool_call', callId: 'b', tool: 'Look', input: {}, display: { title: 'b.ts', looks: 'read' } },
    { type: 'answer_restart' },
  );
  expect(lines()).toEqual(['', '✓ Look a.ts']);
});

test('a call that was stopped while its input streamed says that it was interrupted', () => {
  const { lines } = viewsOf(
    { type: 'turn_start', turn: 1 },
    {
      ...{ type: 'tool_input', callId: 'a', tool: 'Write', delta: '{' },
      input: () => ({}),
      display: () => ({ title: 'out.txt' }),
    },
    interrupted,
  );
  expect(lines()).toEqual([
    '',
    '■ Write out.txt  interrupted',
    '',
    '· Say what to do instead, or "go on" to continue.',
  ]);
});

test('what arrives in the middle of an answer stands above its unfinished paragraph, which goes on whole', () => {
  const { views, lines } = viewsOf(
    { type: 'text_delta', text: 'The **first** paragraph.\n\nThe sec' },
    { type: 'notice', text: 'One.' },
    { type: 'notice', text: 'Two.' },
  );
  views.said('/diff');
  views.take({ type: 'text_delta', text: 'ond **para' });
  views.take({ type: 'text_delta', text: 'graph**.' });
  expect(lines()).toEqual([
    ...['', 'The first paragraph.', '', '! One.', '! Two.'],
    ...['', '─'.repeat(7), '❯ /diff', '', 'The second paragraph.'],
  ]);
});

test('what arrives in a block that has scrolled off waits until the block is complete', () => {
  const { views, history, lines } = viewsOf({ type: 'text_delta', text: '- 1\n- 2\n- 3\n- 4\n' });
  lines();
  history.scrolled(3);
  views.take({ type: 'notice', text: 'One.' });
  views.take({ type: 'text_delta', text: '- 5\n' });
  expect(lines()).toEqual(['', '• 1', '• 2', '• 3', '• 4', '• 5']);
  expect(views.held).toBe(1);
  views.take({ type: 'text_delta', text: '\nThat is **all' });
  lines();
  views.take({ type: 'text_delta', text: '** of it.' });
  expect(lines()).toEqual(['', '• 1', '• 2', '• 3', '• 4', '• 5', '', '! One.', '', 'That is all of it.']);
  expect(views.held).toBe(0);
});

test('a call of the user does not cut the answer, and its result is shown after the answer has ended', () => {
  const { views, lines } = viewsOf({ type: 'text_delta', text: 'An ans' });
  views.own('u');
  views.take(call('u', 'to ten'));
  views.take({ type: 'text_delta', text: 'wer.' });
  expect(lines().filter((line) => line !== '')).toEqual(['○ Count to ten  waiting', 'An answer.']);
  views.take({ type: 'assistant_message', id: 'm', model: 'x', message: { role: 'assistant', content: [] } });
  views.take(call('m', 'to two'));
  views.take({ ...interrupted, outcome: 'completed', text: '' });
  views.take(ended('u', '1 … 10'));
  expect(lines().join('\n')).toContain('✓ Count to ten\n  1 … 10');
  expect(lines().join('\n')).toMatch(/10[\s\S]*An answer\.[\s\S]*Count to two/);
});

test('an answer that starts over leaves what arrived in its middle', () => {
  const { lines } = viewsOf(
    { type: 'turn_start', turn: 1 },
    { type: 'text_delta', text: 'One.\n\nHalf a sen' },
    { type: 'notice', text: 'A notice.' },
    { type: 'text_delta', text: 'tence' },
    { type: 'answer_restart' },
    { type: 'text_delta', text: 'A whole one.' },
  );
  expect(lines()).toEqual(['', '! A notice.', '', 'A whole one.']);
});
