import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../../contract/message.js';
import { noUsage } from '../usage.js';
import { ContextSize } from './context-size.js';

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const tools = [{ name: 'Read', description: 'Reads.'.repeat(50), input_schema: { type: 'object' } }];
const system = ['You are Helve.'.repeat(20)];
const totalOf = (parts: ReturnType<ContextSize['measure']>): number =>
  parts.system + parts.tools + parts.messages + parts.results;

test('measures the system prompt, the tools, the messages and the results separately', () => {
  const messages: Message[] = [
    user('x'.repeat(400)),
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: { file_path: 'x'.repeat(80) } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'y'.repeat(4000) }] },
  ];
  const parts = new ContextSize().measure({ system, tools, messages });
  expect(parts.system).toBeGreaterThan(60);
  expect(parts.tools).toBeGreaterThan(70);
  expect(parts.messages).toBeGreaterThan(120);
  expect(parts.messages).toBeLessThan(180);
  expect(parts.results).toBeGreaterThan(1000);
  expect(parts.results).toBeLessThan(1020);
});

test('counts an image as a fixed number of tokens, regardless of its data', () => {
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(900_000) },
  } as const;
  const size = new ContextSize();
  expect(size.ofBlock(image)).toBeLessThan(3_000);
  expect(size.ofBlock({ type: 'tool_result', tool_use_id: 'a', content: [image] })).toBeLessThan(3_000);
});

test('counts each character of non-Latin scripts, so that their texts are not underestimated', () => {
  expect(new ContextSize().ofBlock({ type: 'text', text: '漢'.repeat(1000) })).toBeGreaterThan(1000);
});

test("is calibrated by the provider's count, including cached tokens", () => {
  const size = new ContextSize();
  const request = { system, tools, messages: [user('x'.repeat(4000))] };
  const estimated = totalOf(size.measure(request));
  size.calibrate(request, {
    ...noUsage,
    input_tokens: estimated / 2,
    cache_read_input_tokens: estimated / 2,
    cache_creation_input_tokens: estimated / 2,
  });
  expect(totalOf(size.measure(request)) / estimated).toBeCloseTo(1.5, 2);
});

test.each([0, 1, -5, 1e9])('does not believe a server that reports %d tokens', (input_tokens) => {
  const size = new ContextSize();
  const request = { system, tools, messages: [user('x'.repeat(40_000))] };
  const before = size.measure(request);
  size.calibrate(request, { ...noUsage, input_tokens });
  expect(size.measure(request)).toEqual(before);
});

test('incremental counts equal a full count, even after messages are removed or replaced', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), text: fc.string({ maxLength: 50 }) }),
    fc.record({ kind: fc.constant('cut' as const), text: fc.string({ maxLength: 50 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const size = new ContextSize();
      let messages: Message[] = [];
      for (const { kind, text } of steps) {
        messages = kind === 'add' ? [...messages, user(text)] : [user(text), ...messages.slice(2)];
        if (kind === 'cut') size.recount();
        const request = { system, tools, messages };
        expect(size.measure(request)).toEqual(new ContextSize().measure(request));
      }
    }),
  );
});

test('counts each message once, however often the conversation is measured', () => {
  let looks = 0;
  const watched = (): Message => ({
    role: 'user',
    get content() {
      looks += 1;
      return [{ type: 'text', text: 'hello' } as const];
    },
  });
  const size = new ContextSize();
  const messages: Message[] = [];
  for (let turn = 0; turn < 100; turn += 1) {
    messages.push(watched());
    size.measure({ system, tools, messages });
  }
  expect(looks).toBe(100);
});
