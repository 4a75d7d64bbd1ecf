import { dirname } from 'node:path';
import type { ContentBlock, ToolResultBlock } from '../../contract/message.js';
import { safeCut } from '../../platform/text/truncate.js';
import type { ContextSize } from './context-size.js';

/** The text of a result. */
export function textOf({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

export const imagesIn = ({ content }: ToolResultBlock): number =>
  typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image').length;

// Anchored at the start of a line, since a search from each occurrence would take quadratic time.
const SAYS_WHERE = /^(?:(?!All of it is in ).)*All of it is in (.+?): read it in parts/m;

/**
 * The file in which a long result is saved, according to the text of the shortened result. A file or a page can contain
 * the same words, so only a file in the results folder of the session counts.
 */
export function savedIn(text: string, resultsFolder: string): string | undefined {
  const [, path = ''] = SAYS_WHERE.exec(text) ?? [];
  return dirname(path) === resultsFolder ? path : undefined;
}

/** The result without images: these words, then as much of its beginning as fits. */
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
