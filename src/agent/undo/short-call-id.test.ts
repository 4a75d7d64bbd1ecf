import { expect, test } from 'vitest';
import { fullCallId, shortCallId } from './short-call-id.js';

const ids = [
  'toolu_01AbCdEfGhIjKlMnOpQrStUv',
  'toolu_01XbCdEfGhIjKlMnOpQrStUv',
  'toolu_01AbCdEfGhIjKlMnOp123456',
  'call_7',
];

test('a long id is shortened to its end, as far as that tells it apart, and is found by it', () => {
  const short = ids.map((id) => shortCallId(id, ids));
  expect(short).toEqual(['AbCdEfGhIjKlMnOpQrStUv', 'XbCdEfGhIjKlMnOpQrStUv', '123456', 'call_7']);
  expect(short.map((id) => fullCallId(id, ids))).toEqual(ids);
});

test('an end that several ids share, or none has, stands for no id', () => {
  expect(fullCallId('QrStUv', ids)).toBe('QrStUv');
  expect(fullCallId('56', ids)).toBe('56');
  expect(fullCallId('nope-nope', ids)).toBe('nope-nope');
});
