import type { ModelFacts, Usage } from '../contract/model.js';

export const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
  cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
});

const MILLION = 1_000_000;

/**
 * US dollars. Cached tokens without a known price count like other tokens. A negative count, as some
 * servers report when they subtract cached tokens twice, counts as zero.
 */
export function costOf(usage: Usage, prices: NonNullable<ModelFacts['prices']>): number {
  const { input, output, cacheRead = input, cacheWrite = input } = prices;
  return (
    (Math.max(0, usage.input_tokens) * input +
      Math.max(0, usage.output_tokens) * output +
      Math.max(0, usage.cache_read_input_tokens) * cacheRead +
      Math.max(0, usage.cache_creation_input_tokens) * cacheWrite) /
    MILLION
  );
}

/** All tokens, cached ones too. A negative count counts as zero. */
export const tokensOf = (usage: Usage): number =>
  Object.values(usage).reduce((sum, count) => sum + Math.max(0, count), 0);
