// Step 11 of the path: a result that is too long for the conversation goes to a file, and the model gets a preview.

import { appendFile } from 'node:fs/promises';
import type { ContentBlock } from '../contract/message.js';
import type { ToolContext } from '../contract/tool-context.js';
import { messageOf } from '../platform/message-of.js';
import { clause } from '../platform/text/clause.js';
import { grouped } from '../platform/text/digits.js';
import { cutMiddle, safeCut } from '../platform/text/truncate.js';

const PREVIEW_CHARS = 2_000;

export async function fitResult(
  content: string | ContentBlock[],
  maxChars: number,
  context: ToolContext,
): Promise<string | ContentBlock[]> {
  if (typeof content === 'string') return await fitText(content, maxChars, context);
  const texts = content.filter((block) => block.type === 'text');
  const length = texts.reduce((sum, block) => sum + block.text.length, 0);
  if (length <= maxChars) return content;
  const text = await fitText(texts.map((block) => block.text).join('\n'), maxChars, context);
  return [{ type: 'text', text }, ...content.filter((block) => block.type !== 'text')];
}

async function fitText(text: string, maxChars: number, context: ToolContext): Promise<string> {
  if (text.length <= maxChars) return text;
  try {
    const file = await context.session.resultFile(`${context.callId}.txt`);
    await appendFile(file, text);
    const preview = text.slice(0, safeCut(text, PREVIEW_CHARS));
    return (
      `The result has ${grouped(text.length)} characters, more than the ${grouped(maxChars)} that fit here. ` +
      `All of it is in ${file}: read it in parts, or search it.\n` +
      `It begins:\n${preview}\n…`
    );
  } catch (error) {
    const why = messageOf(error);
    return `${cutMiddle(text, maxChars)}\n(The whole could not be saved: ${clause(why)}. The middle is lost; run a narrower call to see it.)`;
  }
}
