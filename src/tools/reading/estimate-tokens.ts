export const MAX_TOKENS = 25_000; // so that one call can't fill the context

/**
 * Estimates the tokens of a text: about four characters each for Western text, one or more each for characters of other
 * scripts.
 */
export function estimateTokens(text: string): number {
  let other = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) other += 1;
  return (text.length - other) / 4 + other;
}
