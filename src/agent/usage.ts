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

/** A negative count, as of servers that subtract cached tokens twice, and one that is not a number count as zero. */
const countOf = (count: number): number => (Number.isFinite(count) && count > 0 ? count : 0);

/** US dollars. Cached tokens without a known price count like other tokens. */
export function costOf(usage: Usage, prices: NonNullable<ModelFacts['prices']>): number {
  const { input, output, cacheRead = input, cacheWrite = input } = prices;
  return (
    (countOf(usage.input_tokens) * input +
      countOf(usage.output_tokens) * output +
      countOf(usage.cache_read_input_tokens) * cacheRead +
      countOf(usage.cache_creation_input_tokens) * cacheWrite) /
    MILLION
  );
}

/** All tokens, cached ones too. */
export const tokensOf = (usage: Usage): number => Object.values(usage).reduce((sum, count) => sum + countOf(count), 0);
