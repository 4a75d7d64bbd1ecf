import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseInput } from './parse-input.js';

const user = (content: unknown, more: object = {}) =>
  JSON.stringify({ type: 'user', message: { role: 'user', content }, ...more });

const image = (source: object) => [{ type: 'image', source: { type: 'base64', ...source } }];

test('accepts a prompt as text or as blocks, with the extra fields that hosts send', () => {
  const text = [{ type: 'text', text: 'Hi' }];
  expect(parseInput(user('Hi', { session_id: '', parent_tool_use_id: null, uuid: 'u' }))).toEqual({
    type: 'user',
    content: text,
    uuid: 'u',
  });
  expect(parseInput(user([{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }]))).toMatchObject({
    content: text,
  });
});

test('understands requests and answers', () => {
  expect(parseInput('{"type":"control_request","request_id":"1","request":{"subtype":"interrupt"}}')).toEqual({
    type: 'control_request',
    requestId: '1',
    request: { subtype: 'interrupt' },
  });
  expect(
    parseInput('{"type":"control_response","response":{"subtype":"success","request_id":"1","response":{"a":1}}}'),
  ).toEqual({ type: 'control_response', requestId: '1', response: { subtype: 'success', response: { a: 1 } } });
  expect(parseInput('{"type":"control_cancel_request","request_id":"1"}')).toEqual({
    type: 'control_cancel_request',
    requestId: '1',
  });
});

test.each([
  ['null', /not a JSON object/],
  [user([]), /is empty/],
  [user([{ type: 'text', text: ' \n' }]), /is empty/],
  [user(5), /a string or an array/],
  [user([5]), /content\[0\]" must be an object/],
  [user([{ type: 'text' }]), /its text/],
  [user([{ type: 'tool_result', tool_use_id: 'x', content: '' }]), /text or image, but was "tool_result"/],
  [user([{ type: 'image', source: { type: 'url', url: 'http://x' } }]), /of the type base64/],
  [user(image({ media_type: 'image/tiff', data: 'QUJD' })), /image\/jpeg.*"image\/tiff"/],
  [user(image({ media_type: 'image/png', data: '' })), /base64/],
  [user(image({ media_type: 'image/png', data: 'QUJ' })), /base64/],
  [user(image({ media_type: 'image/png', data: 'Q=JD' })), /base64/],
  ['{"type":"control_request","request_id":7,"request":{"subtype":"x"}}', /"request_id"/],
  ['{"type":"control_response","response":{"subtype":"odd","request_id":"1"}}', /success or error/],
  ['{"type":"control_response"}', /"response"/],
  ['{"type":"control_cancel_request"}', /"request_id"/],
])('reports the problem with %s', (line, problem) => {
  expect(parseInput(line)).toMatchObject({ type: 'problem', problem: expect.stringMatching(problem) });
});

test.each([
  { hookSpecificOutput: { permissionDecision: 'deny' } },
  { response: null, decision: 'block' },
  { response: {}, continue: false },
])('an answer outside of its envelope is an error of the host: %j', (fields) => {
  const response = { subtype: 'success', request_id: '1', ...fields };
  expect(parseInput(JSON.stringify({ type: 'control_response', response }))).toEqual({
    type: 'control_response',
    requestId: '1',
    response: { subtype: 'error', error: expect.stringContaining('beside "response"') },
  });
});

test('unknown fields next to an answer are ignored', () => {
  const response = { subtype: 'success', request_id: '1', response: {}, took_ms: 5 };
  expect(parseInput(JSON.stringify({ type: 'control_response', response }))).toMatchObject({
    response: { subtype: 'success', response: {} },
  });
});

test('never throws, for any line', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.jsonValue().map((value) => JSON.stringify({ type: 'user', message: value })),
      ),
      (line) => {
        expect(parseInput(line)).toHaveProperty('type');
      },
    ),
  );
});
