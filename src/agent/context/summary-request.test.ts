import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message, UserBlock } from '../../contract/message.js';
import { protocolViolations } from '../../testing/protocol-violations.js';
import { ContextSize } from './context-size.js';
import { askingFor, fitHistory } from './summary-request.js';

const size = new ContextSize();
const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + size.ofMessage(message), 0);
const text = (words: string): UserBlock => ({ type: 'text', text: words });
const user = (...content: UserBlock[]): Message => ({ role: 'user', content });

test('sends a history that fits as the same objects, with the instruction after the last message', () => {
  const history: Message[] = [
    user(text('go')),
    { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    user(text('and?')),
  ];
  expect(fitHistory(history, { size, budget: 1_000 })).toBe(history);
  const asked = askingFor(history, 'Summarise.');
  expect(asked.slice(0, 2).every((message, index) => message === history[index])).toBe(true);
  expect(asked[2]).toEqual(user(text('and?'), text('Summarise.')));
  expect(askingFor(history.slice(0, 2), 'Summarise.')).toEqual([...history.slice(0, 2), user(text('Summarise.'))]);
});

const round = fc.record({ calls: fc.nat(3), length: fc.nat(8_000), said: fc.nat(400) });

function historyOf(rounds: ReadonlyArray<{ calls: number; length: number; said: number }>, prompt: number): Message[] {
  const messages: Message[] = [user(text('p'.repeat(prompt + 1)))];
  for (const [number, { calls, length, said }] of rounds.entries()) {
    const ids = Array.from({ length: calls }, (_, index) => `c${number}_${index}`);
    const uses = ids.map((id) => ({ type: 'tool_use', id, name: 'Show', input: {} }) as const);
    messages.push({ role: 'assistant', content: [{ type: 'text', text: 's'.repeat(said + 1) }, ...uses] });
    const results = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'r'.repeat(length) }) as const);
    messages.push(calls === 0 ? user(text('next')) : user(...results));
  }
  return messages;
}

test('for any history that does not fit, the request is valid, fits, and ends like the conversation', () => {
  fc.assert(
    fc.property(
      fc.array(round, { maxLength: 12 }),
      fc.nat(20_000),
      fc.integer({ min: 300, max: 6_000 }),
      (rounds, prompt, budget) => {
        const history = historyOf(rounds, prompt);
        const fitted = fitHistory(history, { size, budget });
        if (!fitted) return;
        expect(protocolViolations({ model: 'm', max_tokens: 1, messages: askingFor(fitted, 'Summarise.') })).toEqual(
          [],
        );
        expect(tokensOf(fitted)).toBeLessThanOrEqual(budget + 1);
        const [last, wanted] = [fitted.at(-1), history.at(-1)];
        const ids = (message: Message | undefined) =>
          message?.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
        expect(ids(last)).toEqual(ids(wanted));
      },
    ),
    { numRuns: 500 },
  );
});

test('shortens the largest results before it leaves anything out', () => {
  const history = historyOf(
    [
      { calls: 2, length: 40_000, said: 10 },
      { calls: 1, length: 100, said: 10 },
    ],
    10,
  );
  const fitted = fitHistory(history, { size, budget: 3_000 });
  expect(fitted).toHaveLength(history.length);
  expect(JSON.stringify(fitted)).toContain('[Shortened: this has 40,000 characters.]');
  expect(fitted?.at(-1)).toBe(history.at(-1));
});

test('leaves out the oldest rounds if that is not enough, and says so', () => {
  const history = historyOf(
    Array.from({ length: 30 }, () => ({ calls: 1, length: 10, said: 399 })),
    10,
  );
  const fitted = fitHistory(history, { size, budget: 1_500 });
  expect(fitted?.length).toBeLessThan(30);
  expect(JSON.stringify(fitted?.[0])).toContain('does not fit into this request');
});

test('gives up if not even the last round fits', () => {
  const said = { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(9_000) }] } as const;
  expect(fitHistory([user(text('go')), said, user(text('and?'))], { size, budget: 300 })).toBeUndefined();
});
