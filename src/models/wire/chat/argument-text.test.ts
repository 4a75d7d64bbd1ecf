import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArgumentText } from './argument-text.js';

const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });

test('passes valid arguments on, for any split, and is complete exactly at their end', () => {
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 2, '\t'), fc.array(fc.nat()), (value, space, cuts) => {
      const json = JSON.stringify(value, null, space);
      const text = new ArgumentText();
      let out = '';
      for (const piece of cutAt(json, cuts)) {
        expect(text.isComplete).toBe(false);
        out += text.push(piece);
      }
      expect(text.isComplete).toBe(true);
      expect(JSON.parse(out + text.finish())).toEqual(JSON.parse(json));
    }),
  );
});

test('repairs a text in the same way for any split', () => {
  const part = fc.constantFrom('{', '}', '[', ']', ',', ' ', '\n', '"', '\\', 'a', '1', ':', 'null', '\u0001', '😀');
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat()), (parts, cuts) => {
      const json = parts.join('');
      expect(repaired(...cutAt(json, cuts))).toBe(repaired(json));
    }),
  );
});

test.each([
  ['a line break in a string', '{"a":"1\n2"}', '{"a":"1\\n2"}'],
  ['a control character in a string', '{"a":"\u0001"}', '{"a":"\\u0001"}'],
  ['a comma before a closing brace', '{"a":1 , }', '{"a":1  }'],
  ['a comma before a closing bracket', '{"a":[1,]}', '{"a":[1]}'],
  ['an object encoded twice', '"{\\"a\\":1}"', '{"a":1}'],
  ['an object encoded twice with a comma too many', '"{\\"a\\":1,}"', '{"a":1}'],
])('repairs %s', (_, json, expected) => {
  expect(repaired(json)).toBe(expected);
});

test.each([
  ['a comma in a string', '{"a":", }"}'],
  ['an escaped quote', '{"a":"\\", }"}'],
  ['a missing quote', '{"a:1}'],
  ['single quotes', "{'a':1}"],
  ['a bare word', '{"a":yes}'],
  ['an escape that does not exist', '{"a":"\\d"}'],
  ['a list', '[1]'],
  ['a string that holds no object', '"hello"'],
  ['a number', '12'],
  ['what is cut off', '{"a":[1,'],
  ['one object after the other', '{"a":1}{"a":2}'],
])('leaves %s to the parser', (_, json) => {
  expect(repaired(json)).toBe(json);
});

test.each(['', ' \n', 'null', ' null ', '""'])('treats %j as no arguments', (json) => {
  const text = new ArgumentText();
  text.push(json);
  expect(text.isEmpty).toBe(true);
});

function repaired(...pieces: string[]): string {
  const text = new ArgumentText();
  return pieces.map((piece) => text.push(piece)).join('') + text.finish();
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const characters = [...text];
  const places = [0, ...cuts.map((cut) => cut % (characters.length + 1)), characters.length].toSorted((a, b) => a - b);
  return places.slice(1).flatMap((end, at) => characters.slice(places[at], end).join('') || []);
}

test('treats null as no arguments only if nothing follows it', () => {
  const text = new ArgumentText();
  text.push('null ');
  expect(text.isEmpty).toBe(true);
  text.push(' '.repeat(200));
  text.push('{"a":1}');
  expect(text.isEmpty).toBe(false);
});
