import type { TextCallFacts } from '../contract/model.js';
import { counted } from '../platform/text/counted.js';

/** One line for the person about calls that were read from the text of an answer. */
export function textCallsNotice({ format, tools }: TextCallFacts): string {
  const those = tools.length === 1 ? 'it is' : 'they are';
  return `The model wrote ${counted(tools.length, 'call')} as text (${format}); ${those} checked and judged like any other.`;
}
