import { expect, test } from 'vitest';
import { builtInTypes, findType } from './agent-types.js';

test.each([
  ['Explore', 'Explore'],
  ['explore', 'Explore'],
  ['claude-code-guide', 'helve-guide'],
  ['general-purpose', 'general-purpose'],
])('%s means %s', (name, meant) => {
  expect(findType(name, builtInTypes).type?.name).toBe(meant);
});

test('a name that means no type is told with those there are', () => {
  expect(findType('Explorer', builtInTypes).problem).toBe(
    'There is no agent type "Explorer". Did you mean "Explore"? There are: general-purpose, Explore, Plan, helve-guide, statusline-setup.',
  );
});

test('those that only read do so by the mode that their calls are judged in', () => {
  const reading = builtInTypes.filter(({ mode }) => mode === 'plan').map(({ name }) => name);
  expect(reading).toEqual(['Explore', 'Plan', 'helve-guide']);
});
