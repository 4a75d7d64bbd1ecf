import { expect, test } from 'vitest';
import { efforts } from '../../../contract/model.js';
import { quirksOf } from './quirks.js';

const LOCAL = 'http://127.0.0.1:8000/v1';

test.each([
  ['deepseek', LOCAL, { reasoningRequired: 'reasoning_content', maxTokensField: 'max_tokens' }],
  ['kimi', LOCAL, { reasoningRequired: 'reasoning_content' }],
  ['qwen', LOCAL, { parallelToolCalls: true }],
  ['glm', LOCAL, { fields: { tool_stream: true } }],
  ['mistral', LOCAL, { callId: { exactly: 9 }, namesToolInResult: true, asksForUsage: false }],
  ['openrouter', LOCAL, { reasoningBack: 'always' }],
  ['mine', 'https://api.deepseek.com/v1', { reasoningRequired: 'reasoning_content' }],
  ['mine', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', { parallelToolCalls: true }],
  ['mine', 'https://api.z.ai/api/paas/v4', { fields: { tool_stream: true } }],
  ['mine', 'https://generativelanguage.googleapis.com/v1beta/openai', { namesToolInResult: true }],
  ['groq', LOCAL, { reasoningBack: 'never', maxTokensField: 'max_completion_tokens' }],
  ['mine', 'https://api.cerebras.ai/v1', { reasoningBack: 'with_calls', maxTokensField: 'max_completion_tokens' }],
  ['kimi-code', 'https://api.kimi.com/coding/v1', { reasoningRequired: 'reasoning_content' }],
  ['openai', 'https://api.openai.com/v1', { maxTokensField: 'max_completion_tokens', reasoningBack: 'never' }],
])('recognises %s at %s', (provider, baseUrl, expected) => {
  expect(quirksOf(provider, baseUrl)).toMatchObject(expected);
});

test.each([
  ['is unknown', 'mine', LOCAL],
  ['imitates OpenAI', 'openai', LOCAL],
  ['has a name like that of a known one', 'mine', 'https://api.deepseek.com.example/v1'],
  ['is named like a property of every object', 'constructor', LOCAL],
  ['has no address yet', 'mine', ''],
])('uses the defaults for a server that %s', (_, provider, baseUrl) => {
  expect(quirksOf(provider, baseUrl)).toEqual(quirksOf('default', 'http://127.0.0.1:9'));
});

test('values from the embedding program take precedence over the table', () => {
  const quirks = quirksOf('deepseek', LOCAL, { callId: { longest: 20 }, thinksInline: false });
  expect(quirks).toMatchObject({
    callId: { longest: 20 },
    thinksInline: false,
    reasoningRequired: 'reasoning_content',
  });
});

test.each(['openai', 'openrouter', 'deepseek', 'qwen', 'glm', 'kimi', 'mistral', 'ollama', 'llamacpp', 'vllm', 'x'])(
  'has different request fields for %s to think and not to think',
  (provider) => {
    const { effort } = quirksOf(provider, 'https://api.openai.com/v1');
    expect(efforts.every((level) => Object.keys(effort[level]).length > 0)).toBe(true);
    expect(effort.none).not.toEqual(effort.high);
  },
);
