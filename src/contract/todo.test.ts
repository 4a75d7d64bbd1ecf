import { expect, test } from 'vitest';
import { todosFrom } from './todo.js';

const todo = { content: 'Look', status: 'pending', activeForm: 'Looking' };

test('takes a list as it was written, and nothing beside it', () => {
  expect(todosFrom([{ ...todo, more: 1 }])).toEqual([todo]);
  expect(todosFrom([])).toEqual([]);
});

test.each([undefined, null, 'x', {}, [null], [{ ...todo, status: 'done' }], [{ ...todo, content: 1 }], [todo, 'x']])(
  'takes %j for no list',
  (value) => {
    expect(todosFrom(value)).toBeUndefined();
  },
);
