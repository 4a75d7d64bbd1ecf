/**
 * JSON whose texts can all be sent as UTF-8. Half of a surrogate pair, as a text that was cut in the wrong place ends
 * with, is written as an escape that many servers refuse the whole request for, so it is replaced.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json; // whole pairs are not escaped
  return json.replaceAll(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (found) => (found.length > 2 ? '\ufffd' : found));
}
