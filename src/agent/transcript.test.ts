import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AssistantBlock, Message, UserBlock } from '../contract/message.js';
import { Transcript } from './transcript.js';

const call = (id: string): AssistantBlock => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string, content = id): UserBlock => ({ type: 'tool_result', tool_use_id: id, content });
const text = (words: string) => ({ type: 'text', text: words }) as const;
const user = (...content: UserBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: AssistantBlock[]): Message => ({ role: 'assistant', content });

const sent = (...messages: Message[]): readonly Message[] => {
  const transcript = new Transcript();
  for (const message of messages) transcript.append(message);
  return transcript.forRequest();
};

const lost = (id: string) => ({ ...result(id, ''), content: expect.stringContaining('interrupted'), is_error: true });

test('sends a valid history unchanged, as the same objects', () => {
  const history = [user(text('go')), assistant(text('ok'), call('a')), user(result('a')), assistant(text('done'))];
  const repaired = sent(...history);
  expect(repaired).toHaveLength(4);
  expect(repaired.every((message, index) => message === history[index])).toBe(true);
});

test('adds a result for a call that has none', () => {
  expect(sent(user(text('go')), assistant(call('a')))).toEqual([
    user(text('go')),
    assistant(call('a')),
    user(lost('a')),
  ]);
  expect(sent(user(text('go')), assistant(call('a')), user(text('and?')))[2]).toEqual(user(lost('a'), text('and?')));
});

test('drops results without a call, and duplicate results', () => {
  expect(
    sent(user(text('go'), result('x')), assistant(call('a')), user(result('a', '1'), result('a', '2'), result('y'))),
  ).toEqual([user(text('go')), assistant(call('a')), user(result('a', '1'))]);
});

test('puts results in the order of the calls and before any text', () => {
  expect(
    sent(user(text('go')), assistant(call('a'), call('b')), user(text('hm'), result('b'), result('a')))[2],
  ).toEqual(user(result('a'), result('b'), text('hm')));
});

test('replaces repeated and blank ids, and keeps each call with its result', () => {
  const [, asked, answered] = sent(
    user(text('go')),
    assistant(call('a'), call('a'), call('')),
    user(result('a', '1'), result('a', '2'), result('', '3')),
  );
  expect(asked).toEqual(assistant(call('a'), call('a_2'), call('call_2')));
  expect(answered).toEqual(user(result('a', '1'), result('a_2', '2'), result('call_2', '3')));
});

test('continues from an open call once its result arrives', () => {
  const transcript = new Transcript();
  transcript.append(user(text('go')));
  transcript.append(assistant(call('a')));
  expect(transcript.forRequest()[2]).toEqual(user(lost('a')));
  transcript.append(user(result('a')));
  expect(transcript.forRequest()[2]).toEqual(user(result('a')));
});

test('continues from replaced messages without traces of the earlier ones', () => {
  const transcript = new Transcript();
  const kept = [assistant(call('a')), user(result('a'))];
  for (const message of [user(text('go')), ...kept]) transcript.append(message);
  transcript.forRequest();
  transcript.replace([user(text('so far')), ...kept]);
  transcript.append(assistant(call('a')));
  const repaired = transcript.forRequest();
  expect(repaired.slice(1, 3).every((message, index) => message === kept[index])).toBe(true);
  expect(repaired).toEqual([user(text('so far')), ...kept, assistant(call('a_2')), user(lost('a_2'))]);
});

// Random histories, as a crash, another program or a bug may leave them.
const someId = fc.constantFrom('a', 'b', 'c', '');
const someMessage: fc.Arbitrary<Message> = fc.oneof(
  fc
    .array(fc.oneof(someId.map(call), fc.constantFrom('', 'words').map(text)), { maxLength: 4 })
    .map((content) => assistant(...content)),
  fc
    .array(
      fc.oneof(
        someId.map((id) => result(id)),
        fc.constantFrom('', 'words').map(text),
      ),
      { maxLength: 5 },
    )
    .map((content) => user(...content)),
);

function violations(messages: readonly Message[]): string[] {
  const found: string[] = [];
  const ids = new Set<string>();
  if (messages[0]?.role === 'assistant') found.push('begins with the assistant');
  messages.forEach((message, index) => {
    if (message.content.length === 0) found.push(`message ${index} is empty`);
    if (message.content.some((block) => block.type === 'text' && block.text === ''))
      found.push(`empty text in ${index}`);
    const before = messages[index - 1];
    const asked = (before?.role === 'assistant' ? before.content : [])
      .filter((block) => block.type === 'tool_use')
      .map(({ id }) => id);
    if (message.role === 'user') {
      const answered = message.content
        .filter((block) => block.type === 'tool_result')
        .map((block) => block.tool_use_id);
      if (JSON.stringify(asked) !== JSON.stringify(answered))
        found.push(`message ${index} answers ${answered}, not ${asked}`);
      const firstText = message.content.findIndex((block) => block.type !== 'tool_result');
      if (firstText >= 0 && firstText < answered.length) found.push(`text before results in ${index}`);
    } else if (asked.length > 0) found.push(`message ${index - 1} is not answered`);
    for (const block of message.content) {
      if (block.type !== 'tool_use') continue;
      if (block.id === '' || ids.has(block.id)) found.push(`id "${block.id}" is not one of a kind`);
      ids.add(block.id);
    }
  });
  const last = messages.at(-1);
  if (last?.role === 'assistant' && last.content.some((block) => block.type === 'tool_use'))
    found.push('the last calls are open');
  return found;
}

test('makes any history valid, deterministically, and never changes messages that were already sent', () => {
  fc.assert(
    fc.property(fc.array(someMessage, { maxLength: 12 }), (messages) => {
      const [stepwise, atOnce] = [new Transcript(), new Transcript()];
      let before: readonly Message[] = [];
      for (const message of messages) {
        stepwise.append(message);
        atOnce.append(message);
        const now = [...stepwise.forRequest()];
        expect(violations(now)).toEqual([]);
        // An open call at the end gets a provisional result; everything before it stays unchanged.
        const stable = before.slice(0, -1);
        expect(now.slice(0, stable.length)).toEqual(stable);
        before = now;
      }
      expect(atOnce.forRequest()).toEqual(stepwise.forRequest());
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 20_000 : 1_000 },
  );
});
