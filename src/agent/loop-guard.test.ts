import { expect, test } from 'vitest';
import type { ToolResultBlock } from '../contract/message.js';
import { LoopGuard } from './loop-guard.js';

let calls = 0;

/** One answer with one call and its result. */
function turn(guard: LoopGuard, name: string, input: Record<string, unknown>, content: string, is_error = false) {
  calls += 1;
  const id = `call_${calls}`;
  const result: ToolResultBlock = { type: 'tool_result', tool_use_id: id, content, ...(is_error && { is_error }) };
  return guard.take({ role: 'assistant', content: [{ type: 'tool_use', id, name, input }] }, [result]);
}

const nothing = { reminders: [], notices: [] };

test('reminds the model after the third repetition, and notifies the person after the fifth', () => {
  const guard = new LoopGuard();
  const said = Array.from({ length: 6 }, () => turn(guard, 'Grep', { pattern: 'x' }, 'nothing found'));
  expect(said.map(({ reminders, notices }) => [reminders.length, notices.length])).toEqual([
    [0, 0],
    [0, 0],
    [1, 0],
    [0, 0],
    [1, 1],
    [0, 0],
  ]);
  expect(said[2]?.reminders[0]).toContain('Grep was called 3 times with the same input and gave the same result');
  expect(said[4]?.notices[0]).toContain('going in circles');
});

test('counts repeated calls within one answer', () => {
  const guard = new LoopGuard();
  const ids = ['a', 'b', 'c'];
  const said = guard.take(
    { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'LS', input: {} })) },
    ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'empty' })),
  );
  expect(said.reminders).toHaveLength(1);
});

test('does not report polling as long as the result changes', () => {
  const guard = new LoopGuard();
  for (let line = 0; line < 20; line += 1) {
    expect(turn(guard, 'BashOutput', { bash_id: '1' }, `line ${line}`)).toEqual(nothing);
  }
});

test('does not report a repeated read after another call had a new result', () => {
  const guard = new LoopGuard();
  for (let round = 0; round < 6; round += 1) {
    expect(turn(guard, 'Edit', { new_string: `${round}` }, `changed ${round}`)).toEqual(nothing);
    expect(turn(guard, 'Bash', { command: 'tsc' }, 'no errors')).toEqual(nothing);
  }
});

test('reports a repeated failure, even with successful reads in between', () => {
  const guard = new LoopGuard();
  const said = Array.from({ length: 3 }, (_, round) => {
    turn(guard, 'Read', { offset: round }, `page ${round}`);
    return turn(guard, 'Edit', { old_string: 'x' }, 'not found', true);
  });
  expect(said.map(({ reminders }) => reminders.length)).toEqual([0, 0, 1]);
  expect(said[2]?.reminders[0]).toContain('failed in the same way');
});

test('reports two calls that alternate', () => {
  const guard = new LoopGuard();
  const said = Array.from({ length: 8 }, (_, index) => turn(guard, 'Read', { file_path: `${index % 2}` }, 'same'));
  expect(said.flatMap(({ reminders }) => reminders)).toHaveLength(2);
});

test('remembers only the latest calls', () => {
  const guard = new LoopGuard();
  const fail = () => turn(guard, 'Edit', { old_string: 'x' }, 'not found', true);
  fail();
  fail();
  for (let index = 0; index < 300; index += 1) turn(guard, 'Read', { offset: index }, 'page', true);
  expect(fail()).toEqual(nothing);
});

test('reports nothing for an answer without calls', () => {
  expect(new LoopGuard().take(undefined, [])).toEqual(nothing);
  expect(new LoopGuard().take({ role: 'assistant', content: [{ type: 'text', text: 'hi' }] }, [])).toEqual(nothing);
});
