import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wireName } from './call-in-history.js';

test.each([
  ['Bash', 'Bash'],
  ['mcp__files__read-all', 'mcp__files__read-all'],
  ['functions.Bash', 'functions_Bash'],
  ['foo bar!', 'foo_bar_'],
  ['', '_'],
  ['a'.repeat(200), 'a'.repeat(64)],
])('writes the tool name %j as %j', (name, wire) => {
  expect(wireName(name)).toBe(wire);
});

test('turns any name into one that every provider accepts, and keeps a valid name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
      expect(wireName(name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(wireName(wireName(name))).toBe(wireName(name));
    }),
  );
});
