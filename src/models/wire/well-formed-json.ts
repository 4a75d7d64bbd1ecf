/**
 * JSON whose strings are all valid UTF-8. A lone surrogate, left by cutting a text in the wrong place, would be written
 * as an escape for which many servers refuse the whole request, so it is replaced.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json; // whole pairs are not escaped
  return json.replaceAll(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (found) => (found.length > 2 ? '\ufffd' : found));
}
