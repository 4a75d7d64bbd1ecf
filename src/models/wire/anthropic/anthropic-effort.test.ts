import { expect, test } from 'vitest';
import type { Effort } from '../../../contract/model.js';
import { anthropicEffort } from './anthropic-effort.js';

const shown = { thinking: { type: 'adaptive', display: 'summarized' } };
const adaptive = (effort: Effort) => ({ ...shown, output_config: { effort } });
const budget = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });
const disabled = { thinking: { type: 'disabled' } };
const lowest = { output_config: { effort: 'low' } };

test.each<[string, Effort, Record<string, unknown>]>([
  ['claude-sonnet-5-5', 'high', adaptive('high')],
  ['claude-opus-4-6', 'max', { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }],
  ['claude-opus-7', 'medium', adaptive('medium')],
  ['claude-sonnet-5-5', 'none', { thinking: { type: 'between_tools' } }],
  ['claude-haiku-5-5', 'none', disabled],
  ['claude-opus-5', 'none', disabled],
  ['claude-sonnet-4-6', 'none', disabled],
  ['claude-opus-5-5', 'none', lowest],
  ['claude-fable-5-1', 'none', lowest],
  ['claude-sonnet-6', 'none', lowest],
  ['claude-haiku-4-5-20251001', 'low', budget(4000)],
  ['claude-opus-4-20250514', 'medium', budget(8000)],
  ['claude-3-7-sonnet-20250219', 'high', budget(16_000)],
  ['claude-sonnet-4-5', 'max', budget(24_000)],
  ['claude-sonnet-4-5', 'none', disabled],
  ['claude-3-5-sonnet-20241022', 'max', {}],
  ['claude-3-opus-20240229', 'none', {}],
  ['glm-5.2', 'high', budget(16_000)],
])('%s gets the effort %s as %j', (name, effort, expected) => {
  expect(anthropicEffort(name, effort, 32_000)).toEqual(expected);
});

test.each<[string, Record<string, unknown>]>([
  ['claude-sonnet-5-5', shown],
  ['claude-opus-4-6', { thinking: { type: 'adaptive' } }],
  ['claude-fable-5-1', shown],
  ['claude-haiku-5-5', {}],
  ['claude-sonnet-4-5', {}],
  ['claude-3-opus-20240229', {}],
  ['glm-5.2', {}],
])('%s without an effort gets %j', (name, expected) => {
  expect(anthropicEffort(name, undefined, 32_000)).toEqual(expected);
});

test('a budget is never below what the API accepts, nor as long as the whole answer', () => {
  expect(anthropicEffort('claude-haiku-4-5', 'low', 2000)).toEqual(budget(1024));
  expect(anthropicEffort('claude-haiku-4-5', 'max', 1024)).toEqual({});
});
