import { expect, test } from 'vitest';
import { builtInCatalogue } from './catalogue.js';
import { misspeltModel, nearestModel } from './misspelt-model.js';

const catalogue = builtInCatalogue();

test.each([
  ['anthropic', 'claude-sonet-4-5', 'anthropic/claude-sonnet-4-5'],
  ['anthropic', 'claude-sonett-5-5', 'anthropic/claude-sonnet-5-5'],
  ['anthropic', 'cluade-opus-5-5', 'anthropic/claude-opus-5-5'],
  ['anthropic', 'claude-4-5-sonnet', 'anthropic/claude-sonnet-4-5'],
  ['anthropic', 'claude-sonnet-4.5', 'anthropic/claude-sonnet-4-5'],
  ['anthropic', 'Claude-Sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
  ['anthropic', 'claude-sonet-4-5-20250929', 'anthropic/claude-sonnet-4-5'],
  ['openai', 'gpt-5-mni', 'openai/gpt-5-mini'],
  ['openai', 'gtp-5', 'openai/gpt-5'],
  ['openai', 'gpt5-mini', 'openai/gpt-5-mini'],
  ['google', 'gemini-3.8-flsh', 'google/gemini-3.8-flash'],
  ['openrouter', 'anthropic/claude-sonnet-5-5', 'openrouter/anthropic/claude-sonnet-5.5'],
])('%s/%s is a slip of the pen, and %s is meant', (provider, name, meant) => {
  expect(misspeltModel(provider, name, catalogue)).toBe(meant);
});

test.each([
  ['anthropic', 'claude-sonnet-4-5'],
  ['anthropic', 'claude-sonnet-4-5-20250929'],
  ['anthropic', 'claude-sonnet-6'],
  ['anthropic', 'claude-sonnet-5-4'],
  ['anthropic', 'claude-novella-6'],
  ['anthropic', 'claude-3-7-sonnet-latest'],
  ['openai', 'gpt-7'],
  ['openai', 'gpt-6.2-sol'],
  ['openai', 'gpt-6-nova'],
  ['openai', 'gpt-4o-mini'],
  ['openai', 'gpt-5-codex'],
  ['mistral', 'magistral-medium-latest'],
  ['mistral', 'ministral-8b-latest'],
  ['mistral', 'codestral-latest'],
  ['google', 'gemini-2.5-flash-live'],
  ['glm', 'glm-4.7-flashx'],
  ['ollama', 'qwen3'],
  ['azure', 'my-deployment'],
])('%s/%s is known, or may be a newer model', (provider, name) => {
  expect(misspeltModel(provider, name, catalogue)).toBeUndefined();
});

test('a name that its server does not know has a nearest one, unless all are far', () => {
  expect(nearestModel('openai', 'gpt-5.3', catalogue)).toBe('openai/gpt-5.5');
  expect(nearestModel('openai', 'whisper', catalogue)).toBeUndefined();
});
