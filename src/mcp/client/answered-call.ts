// A server's answer to a call as the model and the person get it, at once or after a task.
import { ToolFailure } from '../../contract/failure.js';
import type { ContentBlock } from '../../contract/message.js';
import { plainLine, plainText } from '../../platform/text/plain-text.js';
import type { ServerAnswer } from './remote-task.js';
import { type ResultBlocks, type ResultSession, resultBlocks, words } from './result-content.js';
import { nestsTooDeep, withStructured } from './structured-content.js';

const MAX_DISPLAY = 4_000;

export interface AnsweredCall {
  /** For the model. */
  blocks: ContentBlock[];
  /** What the person sees, if that is more. */
  shown?: ContentBlock[];
  structured?: unknown;
}

/** Throws `ToolFailure` if the server says that the call failed. */
export async function answeredCall(
  answer: ServerAnswer,
  { server, session, maxChars }: { server: string; session: ResultSession; maxChars: number },
): Promise<AnsweredCall> {
  const { blocks, shown } = await resultBlocks(answer['content'], session, maxChars);
  if (answer['isError'] === true) throw failed({ blocks, shown }, plainLine(server, 40));
  const structured = answer['structuredContent'];
  if (nestsTooDeep(structured)) {
    const note = words('(Its structured content nests too deep and was left out.)');
    return { blocks: [...blocks, note], shown: [...shown, note] };
  }
  return {
    blocks,
    ...(shown.length > blocks.length && { shown }),
    ...(structured !== undefined && { structured }),
  };
}

export function contentForModel({ blocks, shown = [], structured }: AnsweredCall): ContentBlock[] {
  const sent = withStructured(blocks, structured);
  return sent.length === 0 && shown.length > 0 ? [words('(The result is for the user alone, who sees it.)')] : sent;
}

export const textForPerson = ({ blocks, shown = blocks }: AnsweredCall): string =>
  plainText(shown.map(asText).join('\n'), MAX_DISPLAY);

/** A call that the server answered with an error. What the server says about it is its own text. */
function failed({ blocks, shown }: ResultBlocks, server: string): ToolFailure {
  const text = blocks.map(asText).join('\n');
  const seen = plainText(shown.map(asText).join('\n'), MAX_DISPLAY);
  if (text.trim() === '') return new ToolFailure('The server says that the call failed, and no more.');
  return new ToolFailure(text, {
    problem: `${server} reported an error`,
    display: { body: { type: 'output', text: seen }, writtenBy: server },
  });
}

const asText = (block: ContentBlock): string => (block.type === 'text' ? block.text : '(an image)');
