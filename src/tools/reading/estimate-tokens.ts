export const MAX_TOKENS = 25_000; // so that one call can't fill the context

/** About how many tokens a text has. Western text has some four characters to one; of other scripts each is one, or more. */
export function estimateTokens(text: string): number {
  let other = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) other += 1;
  return (text.length - other) / 4 + other;
}
