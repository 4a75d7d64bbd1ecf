import { expect, test } from 'vitest';
import { KeyBindings } from './key-bindings.js';

test('lists the configured keys for help', () => {
  const keys = new KeyBindings(
    new Map([
      ['historySearch', { value: ['ctrl+s', 'f3'] }],
      ['suspend', { value: [] }],
    ]),
  );
  expect(keys.listed()).toContainEqual({ keys: 'Ctrl-S or F3', about: 'search earlier prompts' });
  expect(keys.listed().map(({ about }) => about)).not.toContain('suspend helve');
  expect(keys.matches('\x13', 'historySearch')).toBe(true);
  expect(keys.matches('\x12', 'historySearch')).toBe(false);
});

test('reports keys that are bound to two actions', () => {
  const keys = new KeyBindings(new Map([['expand', { value: ['ctrl+r'] }]]));
  expect(keys.conflicts()).toEqual(['The key Ctrl-R is set for historySearch and expand; it does the first of them.']);
  expect(new KeyBindings().conflicts()).toEqual([]);
});

test("leaves the editor's own actions to the editor", () => {
  const keys = new KeyBindings();
  expect(keys.actionOf('\r')).toBeUndefined();
  expect(keys.actionOf('\x1b[Z')).toBe('cycleMode');
});
