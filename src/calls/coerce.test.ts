import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coerceInput } from './coerce.js';

const number = { type: 'number' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const string = { type: 'string' };
const point = { type: 'object', properties: { x: number, y: number }, required: ['x'] };
const strings = { type: 'array', items: string };

test.each<[string, object, unknown, unknown]>([
  ['a number in a text', number, '5', 5],
  ['a number with a fraction and an exponent', number, ' -2.5e3 ', -2500],
  ['a whole number', integer, '12', 12],
  ['a word that is no number', number, 'five', 'five'],
  ['nothing for a number', number, '', ''],
  ['a number that only looks like one', number, '0x10', '0x10'],
  ['a number with a leading zero, which may be a code', integer, '007', '007'],
  ['a fraction for a whole number', integer, '1.5', '1.5'],
  ['a number too large to be exact', integer, '12345678901234567890', '12345678901234567890'],
  ['a number too large to be one', number, '1e999', '1e999'],
  ['a number too small to be told from zero', number, '1e-400', '1e-400'],
  ['a zero with an exponent', number, '0e5', 0],
  ['a fraction with more digits than a number holds', number, '0.12345678901234567890', '0.12345678901234567890'],
  ['a fraction with zeros at its end', number, '1.500', 1.5],
  ['a small number', number, '25e-9', 25e-9],
  ['true in a text', boolean, 'true', true],
  ['False in a text', boolean, 'False', false],
  ['yes for true', boolean, 'yes', 'yes'],
  ['1 for true', boolean, 1, 1],
  ['one value for a list', strings, 'a', ['a']],
  ['nothing for a list', strings, '', ''],
  ['blanks for a list', strings, ' ', ' '],
  ['one value for a list or null', { anyOf: [strings, { type: 'null' }] }, 'a', ['a']],
  ['one value where a list or a truth is wanted', { anyOf: [boolean, strings] }, 'x', 'x'],
  ['true in a text where a list or a truth is wanted', { anyOf: [boolean, strings] }, 'true', 'true'],
  ['an object in a text where it or a list is wanted', { anyOf: [point, strings] }, '{"x":1}', '{"x":1}'],
  ['one value for either of two lists', { anyOf: [strings, { type: 'array', items: number }] }, '5', '5'],
  ['one number in a text for a list of numbers', { type: 'array', items: number }, '5', [5]],
  ['a list in a text', strings, '["a","b"]', ['a', 'b']],
  ['an object in a text', point, '{"x":"1"}', { x: 1 }],
  ['an object in a text for a list of objects', { type: 'array', items: point }, '{"x":1}', [{ x: 1 }]],
  ['a text that is no object', point, 'x=1', 'x=1'],
  ['a list for an object', point, '[1]', '[1]'],
  ['null for a field that may be absent', point, { x: 1, y: null }, { x: 1 }],
  ['null for a field that must be there', point, { x: null }, { x: null }],
  ['null where it is allowed', { properties: { a: { type: ['string', 'null'] } } }, { a: null }, { a: null }],
  ['null in a list', strings, [null], [null]],
  ['null for a list', strings, null, null],
  ['a text where a text is wanted', string, '5', '5'],
  ['a text where a text or a number is wanted', { type: ['string', 'number'] }, '5', '5'],
  ['a text where one of the alternatives is text', { anyOf: [number, string] }, '5', '5'],
  ['a text where a list or a text is wanted', { anyOf: [strings, string] }, '["a"]', '["a"]'],
  ['a text where all alternatives are something else', { anyOf: [number, boolean] }, 'true', true],
  ['a text where one alternative takes anything', { anyOf: [number, {}] }, '5', '5'],
  ['a number where a text is wanted', string, 5, 5],
  ['a number in a text where only numbers are listed', { enum: [1, 2] }, '2', 2],
  ['anything where nothing is asked for', {}, '5', '5'],
  ['a field that is not in the schema', point, { x: 1, z: '5' }, { x: 1, z: '5' }],
  [
    'a value behind a reference',
    { $defs: { n: number }, properties: { a: { $ref: '#/$defs/n' } } },
    { a: '1' },
    { a: 1 },
  ],
  ['a reference to itself', { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, '1', '1'],
  [
    'a list inside an object inside a list',
    { type: 'array', items: { properties: { a: strings } } },
    [{ a: 'x' }],
    [{ a: ['x'] }],
  ],
  [
    'two alternatives that are objects',
    { anyOf: [point, { type: 'object', properties: { x: string } }] },
    { x: '1' },
    { x: '1' },
  ],
  [
    'a field named __proto__',
    { properties: { a: number } },
    JSON.parse('{"__proto__":"x","a":"1"}'),
    JSON.parse('{"__proto__":"x","a":1}'),
  ],
])('understands %s', (_, schema, input, expected) => {
  expect(coerceInput({ ...schema }, input)).toEqual(expected);
});

test('leaves what fits as it is, the very same object', () => {
  const whole = { type: 'object', properties: { p: point, list: { type: 'array', items: integer }, s: string } };
  fc.assert(
    fc.property(
      fc.record({ p: fc.record({ x: fc.double({ noNaN: true }) }), list: fc.array(fc.integer()), s: fc.string() }),
      (input) => {
        expect(coerceInput(whole, input)).toBe(input);
      },
    ),
  );
});

test('never changes the input that it was given', () => {
  const schema = { properties: { n: number, list: strings, o: point } };
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('n', 'list', 'o', 'x'), fc.jsonValue({ maxDepth: 3 })), (input) => {
      const before = structuredClone(input);
      coerceInput(schema, input);
      expect(input).toEqual(before);
    }),
  );
});
