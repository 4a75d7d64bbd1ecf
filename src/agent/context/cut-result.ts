import { dirname } from 'node:path';
import type { ContentBlock, ToolResultBlock } from '../../contract/message.js';
import { safeCut } from '../../platform/text/truncate.js';
import type { ContextSize } from './context-size.js';

/** The words of a result. */
export function textOf({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

export const imagesIn = ({ content }: ToolResultBlock): number =>
  typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image').length;

// From the start of a line, since a search from each of these words would go to its end each time.
const SAYS_WHERE = /^(?:(?!All of it is in ).)*All of it is in (.+?): read it in parts/m;

/**
 * Where a result that was too long is kept as a whole, by the words that a shortened result says it in. Anybody can write
 * these words into a file or a page, so nothing counts but a file among the results of the session.
 */
export function savedIn(text: string, resultsFolder: string): string | undefined {
  const [, path = ''] = SAYS_WHERE.exec(text) ?? [];
  return dirname(path) === resultsFolder ? path : undefined;
}

/** The result with this said before as much of its beginning as fits, and without images. */
export function shortened(
  result: ToolResultBlock,
  { words, tokens, size }: { words: string; tokens: number; size: ContextSize },
): ToolResultBlock {
  const text = textOf(result);
  const left = tokens - size.ofBlock({ type: 'text', text: `${words}\nIt begins:\n\n…` });
  const kept = text.slice(0, safeCut(text, size.charsOf(text, left)));
  const content: string | ContentBlock[] = kept.trim() === '' ? words : `${words}\nIt begins:\n${kept}\n…`;
  return { ...result, content };
}
