import { appendFile } from 'node:fs/promises';
import type { ToolResultBlock } from '../../contract/message.js';
import { messageOf } from '../../platform/message-of.js';
import { grouped } from '../../platform/text/digits.js';
import type { ContextSize } from './context-size.js';
import { imagesIn, savedIn, shortened, textOf } from './cut-result.js';
import { fairShare } from './fair-share.js';

const LEAST_TOKENS = 100; // of one result: enough to name the file with the rest

export interface FitOptions {
  size: ContextSize;
  /** Tokens for all of them together. */
  budget: number;
  /** The folder in which the session saves results. */
  resultsFolder: string;
  /** Creates a new file in it. */
  resultFile(name: string): Promise<string>;
}

/**
 * Limits the results of one turn, so that together they leave room for the conversation. Results that are too long
 * are saved and shortened; the others are the same objects.
 */
export async function fitResults(results: readonly ToolResultBlock[], options: FitOptions): Promise<ToolResultBlock[]> {
  const { size, budget } = options;
  const wishes = results.map((result) => size.ofBlock(result));
  if (wishes.reduce((sum, wish) => sum + wish, 0) <= budget) return [...results];
  const share = Math.max(fairShare(wishes, budget), LEAST_TOKENS);
  return await Promise.all(
    results.map(async (result, index) =>
      (wishes[index] ?? 0) <= share ? result : await shorten(result, share, options),
    ),
  );
}

async function shorten(result: ToolResultBlock, tokens: number, options: FitOptions): Promise<ToolResultBlock> {
  const text = textOf(result);
  const images = imagesIn(result);
  const seen = images === 0 ? '' : ` ${images === 1 ? 'An image' : `${images} images`} of it had to be left out.`;
  const saved = savedIn(text, options.resultsFolder);
  const where = saved === undefined ? await save(text, result.tool_use_id, options) : { file: saved };
  const words =
    `The result has ${grouped(text.length)} characters, more than the context window has room for in one turn. ` +
    ('file' in where ? `All of it is in ${where.file}: read it in parts, or search it.` : where.why) +
    seen;
  return shortened(result, { words, tokens, size: options.size });
}

async function save(
  text: string,
  callId: string,
  { resultFile }: FitOptions,
): Promise<{ file: string } | { why: string }> {
  try {
    const file = await resultFile(`${callId}.txt`);
    await appendFile(file, text);
    return { file };
  } catch (error) {
    const why = messageOf(error);
    return { why: `The whole could not be saved (${why}), so the rest is lost; run a narrower call to see it.` };
  }
}
