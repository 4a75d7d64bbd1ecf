import { expect, test } from 'vitest';
import type { ContentBlock } from '../../contract/message.js';
import { answeredCall, contentForModel } from './answered-call.js';
import { saysTheSame, withStructured } from './structured-content.js';

const text = (...texts: string[]): ContentBlock[] => texts.map((one) => ({ type: 'text', text: one }));
const list = [
  { id: 1, name: 'Ada' },
  { id: 2, name: 'Grace' },
];

test.each<[string[], unknown, boolean]>([
  [['{"b": 1, "a": [2]}'], { a: [2], b: 1 }, true],
  [['the text'], { content: 'the text' }, true],
  [['the text'], { content: [{ type: 'text', text: 'the text' }] }, true],
  [['[{"name":"x"}]'], { entities: [{ name: 'x' }] }, true],
  [['Deleted.'], { success: true, message: 'Deleted.' }, true],
  [[JSON.stringify(list, null, 2)], { result: list }, true],
  [[JSON.stringify(list, null, '\t')], { data: { users: list } }, true],
  [[`\`\`\`json\n${JSON.stringify(list, null, 2)}\n\`\`\``], { result: list }, true],
  [[`Found 2 users:\n${JSON.stringify(list)}`], { users: list }, true],
  [list.map((one) => JSON.stringify(one)), { users: list }, true],
  [['one', 'two'], ['one', 'two'], true],
  [['[1,2]'], [1, 2], true],
  [['42'], 42, true],
  [['null'], null, true],
  [['the text'], { content: 'another text' }, false],
  [['the text'], { content: 'the text', size: 8 }, false],
  [['the text'], { content: 'the text', success: false }, false],
  [['{"id": 1}'], { id: '1' }, false],
  [['{"id": "1"}'], { id: 1 }, false],
  [['[2,1]'], [1, 2], false],
  [['two', 'one'], ['one', 'two'], false],
  [['one'], ['one', 'two'], false],
  [['Found 2 users: Ada'], { users: list }, false],
  [['It is {}.'], {}, false],
  [['Done.'], { success: true }, false],
  [['Done.'], {}, false],
  [['Done.'], 42, false],
  [[''], { content: [] }, false],
  [[], { a: 1 }, false],
])('compares the texts %j with the structured content %j', (texts, structured, expected) => {
  expect(saysTheSame(text(...texts), structured)).toBe(expected);
});

test.each<[unknown, string]>([
  [42, '42'],
  [['a'], '["a"]'],
  [null, 'null'],
  [{ total: 5 }, '{"total":5}'],
])('structured content that the text does not say is sent after it: %j', (structured, sent) => {
  expect(withStructured(text('Done.'), structured)).toEqual(text('Done.', sent));
});

test('of structured content that says more, only the rest is sent', () => {
  const page = 'A long page. '.repeat(50);
  expect(withStructured(text(page), { content: page, next: 3 })).toEqual(
    text(page, '{"content":"(the text above)","next":3}'),
  );
  const rows = Array.from({ length: 50 }, (_, id) => ({ id }));
  expect(withStructured(text(JSON.stringify(rows, null, 2)), { rows, total: 900 })).toEqual(
    text(JSON.stringify(rows, null, 2), '{"rows":"(the text above)","total":900}'),
  );
});

test('content that is made to be expensive to compare is compared within a bound, and sent', () => {
  const long = 'x'.repeat(50_000);
  const parts = Array.from({ length: 500 }, (_, n) => [`${n}`, { v: `${long}y${long}` }]);
  const structured = Object.fromEntries(parts.slice(0, 20));
  const said = withStructured(text('x'.repeat(2_000_000)), structured);
  expect(said).toHaveLength(2);
  const many = Object.fromEntries(parts.map(([name], n) => [name, { v: 'x'.repeat(300), n }]));
  expect(withStructured(text('x'.repeat(2_000_000)), many)).toHaveLength(2);
});

test('content that nests very deep is left out', async () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  const session = { resultFile: async () => '' };
  const answer = { content: [{ type: 'text', text: 'a' }], structuredContent: { deep } };
  const answered = await answeredCall(answer, { server: 's', session, maxChars: 100 });
  expect(contentForModel(answered)).toEqual(text('a', '(Its structured content nests too deep and was left out.)'));
});
