import { expect, test } from 'vitest';
import { endText } from './end-text.js';

test.each([
  ['key', 'The Anthropic API refused the key (401). /key sets another one, /model chooses another model.'],
  ['model', 'The Anthropic API refused the key (401). /model chooses another one.'],
  [
    'credit',
    'The Anthropic API refused the key (401). Add credit to the account, or use /key or /model to change the key or the model.',
  ],
] as const)('a failure about the %s names the command that changes it', (about, expected) => {
  const problem = 'The Anthropic API refused the key (401).';
  const text = `${problem} Check ANTHROPIC_API_KEY.`;
  expect(endText({ text, failure: { kind: 'auth', problem, about } })).toBe(expected);
});

test('anything else is shown as it is', () => {
  const problem = "Can't reach the Anthropic API (ECONNREFUSED).";
  const text = `${problem} Check the network.`;
  expect(endText({ text, failure: { kind: 'unreachable', problem, about: 'network' } })).toBe(text);
  expect(endText({ text: 'Stopped after one turn.' })).toBe('Stopped after one turn.');
});
