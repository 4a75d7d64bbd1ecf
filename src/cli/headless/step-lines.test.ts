import { expect, test } from 'vitest';
import type { AgentEvent } from '../../contract/event.js';
import { StepLines } from './step-lines.js';

function shown(events: readonly AgentEvent[], columns = 60): string {
  const written: string[] = [];
  const steps = new StepLines({
    write: (text) => void written.push(text),
    columns: () => columns,
    root: '/home/me/project',
  });
  steps.begin();
  for (const event of events) steps.see(event);
  steps.end();
  // As the terminal shows it: a cleared line is gone.
  const lines = written.join('').split('\n');
  return lines.map((line) => line.split('\r\u001b[K').at(-1)).join('\n');
}

const call = (callId: string, title: string): AgentEvent => ({
  at: 0,
  type: 'tool_call',
  callId,
  tool: 'Bash',
  input: {},
  display: { title },
});

const result = (callId: string, title: string, problem?: string): AgentEvent => ({
  at: 0,
  type: 'tool_result',
  callId,
  tool: 'Bash',
  result: { type: 'tool_result', tool_use_id: callId, content: 'for the model', is_error: problem !== undefined },
  display: { title, facts: ['0.2 s'] },
  ...(problem !== undefined && { problem, failure: 'exception' as const }),
});

test('each call is one line once it has ended, with what went wrong', () => {
  expect(
    shown([
      call('a', 'npm test'),
      result('a', 'npm test'),
      call('b', 'make'),
      result('b', 'make', 'Exit code 2\nmore'),
    ]),
  ).toBe('✓ Bash npm test  0.2 s\n✗ Bash make  Exit code 2\n');
});

test('lines are cut to the width of the terminal', () => {
  expect(shown([call('a', 'x'.repeat(100)), result('a', '')], 30)).toBe(`✓ Bash ${'x'.repeat(21)}…\n`);
});

test('paths in the project are relative to it', () => {
  expect(shown([call('a', '/home/me/project/src/a.ts'), result('a', '/home/me/project/src/a.ts')])).toContain(
    '✓ Bash src/a.ts  0.2 s\n',
  );
});

test('the reason of a refused call, and a notice, are wrapped and never cut', () => {
  const reason = 'Denied: it runs the command "git push --force", and no one can be asked here.';
  const lines = shown([call('a', 'git push'), result('a', 'git push', reason)], 40).split('\n');
  expect(lines.join(' ').replace(/ +/g, ' ')).toContain(`✗ Bash git push ${reason}`);
  expect(lines.every((line) => line.length < 40)).toBe(true);
});

test('a wait is shown in the live line, and leaves nothing behind', () => {
  const written: string[] = [];
  const steps = new StepLines({ write: (text) => void written.push(text), columns: () => 40, root: '/' });
  steps.begin();
  steps.wait('retrying in 0.5 s (1 of 2): nothing listens');
  expect(written.at(-1)).toBe('… retrying in 0.5 s (1 of 2): nothing …');
  steps.see({ at: 0, type: 'text_delta', text: 'Hello' });
  expect(written.at(-1)).toBe('… waiting for the model');
  expect(written.join('')).not.toContain('\n');
});
