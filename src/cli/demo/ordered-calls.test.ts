import { expect, test } from 'vitest';
import { OrderedCalls } from './ordered-calls.js';

test('each call of a batch is followed by its result, in the order of the calls', () => {
  const ordered = new OrderedCalls();
  const events = [
    { type: 'tool_call', callId: 'a' },
    { type: 'tool_call', callId: 'b' },
    { type: 'tool_result', callId: 'b' },
    { type: 'tool_result', callId: 'a' },
    { type: 'turn_end' },
  ];
  const shown = events.flatMap((event) => ordered.take(event));
  expect(shown).toEqual([events[0], events[3], events[1], events[2], events[4]]);
});
