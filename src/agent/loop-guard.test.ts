import { expect, test } from 'vitest';
import type { ToolResultBlock } from '../contract/message.js';
import { LoopGuard } from './loop-guard.js';

let calls = 0;

/** One answer with one call, and what it gave. */
function turn(guard: LoopGuard, name: string, input: Record<string, unknown>, content: string, is_error = false) {
  calls += 1;
  const id = `call_${calls}`;
  const result: ToolResultBlock = { type: 'tool_result', tool_use_id: id, content, ...(is_error && { is_error }) };
  return guard.take({ role: 'assistant', content: [{ type: 'tool_use', id, name, input }] }, [result]);
}

const nothing = { reminders: [], notices: [] };

test('tells the model after the third time, and the person after the fifth', () => {
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

test('counts calls of one answer as well', () => {
  const guard = new LoopGuard();
  const ids = ['a', 'b', 'c'];
  const said = guard.take(
    { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'LS', input: {} })) },
    ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'empty' })),
  );
  expect(said.reminders).toHaveLength(1);
});

test('leaves polling in peace as long as something new comes', () => {
  const guard = new LoopGuard();
  for (let line = 0; line < 20; line += 1) {
    expect(turn(guard, 'BashOutput', { bash_id: '1' }, `line ${line}`)).toEqual(nothing);
  }
});

test('lets the model look again at what it has seen, once something else has happened', () => {
  const guard = new LoopGuard();
  for (let round = 0; round < 6; round += 1) {
    expect(turn(guard, 'Edit', { new_string: `${round}` }, `changed ${round}`)).toEqual(nothing);
    expect(turn(guard, 'Bash', { command: 'tsc' }, 'no errors')).toEqual(nothing);
  }
});

test('notices a failure that comes back, whatever is read in between', () => {
  const guard = new LoopGuard();
  const said = Array.from({ length: 3 }, (_, round) => {
    turn(guard, 'Read', { offset: round }, `page ${round}`);
    return turn(guard, 'Edit', { old_string: 'x' }, 'not found', true);
  });
  expect(said.map(({ reminders }) => reminders.length)).toEqual([0, 0, 1]);
  expect(said[2]?.reminders[0]).toContain('failed in the same way');
});

test('notices two calls that take turns', () => {
  const guard = new LoopGuard();
  const said = Array.from({ length: 8 }, (_, index) => turn(guard, 'Read', { file_path: `${index % 2}` }, 'same'));
  expect(said.flatMap(({ reminders }) => reminders)).toHaveLength(2);
});

test('remembers no more than the latest calls', () => {
  const guard = new LoopGuard();
  const fail = () => turn(guard, 'Edit', { old_string: 'x' }, 'not found', true);
  fail();
  fail();
  for (let index = 0; index < 300; index += 1) turn(guard, 'Read', { offset: index }, 'page', true);
  expect(fail()).toEqual(nothing);
});

test('says nothing about an answer without calls', () => {
  expect(new LoopGuard().take(undefined, [])).toEqual(nothing);
  expect(new LoopGuard().take({ role: 'assistant', content: [{ type: 'text', text: 'hi' }] }, [])).toEqual(nothing);
});
