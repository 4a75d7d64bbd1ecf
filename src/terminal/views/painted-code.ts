import type { CodeSpan } from '../../display/code-span.js';
import { codeSpans } from '../../display/code-spans.js';
import type { Paint } from '../screen/theme.js';

/** The highlighted lines of the code. */
export const highlight = (code: string, name: string | undefined, paint: Paint): string[] =>
  codeSpans(code, name).map((spans) => paintedSpans(spans, paint));

export const paintedSpans = (spans: readonly CodeSpan[], paint: Paint): string =>
  spans.map(({ text, role }) => (role === undefined ? text : paint[role](text))).join('');
