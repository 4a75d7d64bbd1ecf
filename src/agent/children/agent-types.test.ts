import { expect, test } from 'vitest';
import { builtInTypes, findType } from './agent-types.js';

test.each([
  ['Explore', 'Explore'],
  ['explore', 'Explore'],
  ['claude-code-guide', 'helve-guide'],
  ['general-purpose', 'general-purpose'],
])('the name %s finds the type %s', (name, meant) => {
  expect(findType(name, builtInTypes).type?.name).toBe(meant);
});

test('an unknown name is reported with the list of types', () => {
  expect(findType('Explorer', builtInTypes).problem).toBe(
    'There is no agent type "Explorer". Did you mean "Explore"? There are: general-purpose, Explore, Plan, helve-guide, statusline-setup.',
  );
});

test('read-only types are limited by their permission mode', () => {
  const reading = builtInTypes.filter(({ mode }) => mode === 'plan').map(({ name }) => name);
  expect(reading).toEqual(['Explore', 'Plan', 'helve-guide']);
});
