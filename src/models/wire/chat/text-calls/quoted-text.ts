import type { Message, UserBlock } from '../../../../contract/message.js';

const MAX_COMPARED = 500; // characters of a call; a quotation that agrees so far is one

/**
 * Whether the text of a call stands in the prompts or results of a conversation, so that the model may only quote it.
 * Line numbers, line breaks, quotes and backslashes make no difference, since a quotation often has others.
 */
export function quotedIn(messages: readonly Message[], system: readonly string[]): (source: string) => boolean {
  let texts: readonly string[] | undefined;
  return (source) => {
    texts ??= [...system, ...messages.flatMap(textsOf)].flatMap((text) => [
      reduced(text),
      reduced(withoutMargin(text)),
    ]);
    const wanted = reduced(source).slice(0, MAX_COMPARED);
    return texts.some((text) => text.includes(wanted));
  };
}

function textsOf({ role, content }: Message): string[] {
  return role === 'user' ? content.flatMap(textsOfBlock) : [];
}

function textsOfBlock(block: UserBlock): string[] {
  if (block.type === 'text') return [block.text];
  if (block.type !== 'tool_result') return [];
  return typeof block.content === 'string' ? [block.content] : block.content.flatMap(textsOfBlock);
}

const reduced = (text: string): string => text.replaceAll(/\\+[nrt]?|[\s"'`]+/g, '');

/** Without what tools write before each line: its number, the name of its file, the sign of a diff. */
const withoutMargin = (text: string): string =>
  text.replaceAll(/^(?:[^\s:"'{}]{0,300}:)?[ \t]{0,20}\d{0,9}[ \t]{0,4}[:|→\t-]?[ \t]?[+>-]?/gm, '');
