import type { Message, UserBlock } from '../../../../contract/message.js';
import { lettersAndDigits, plainCharacters, withoutMargin, withoutQuotes, withoutTags } from './plain-form.js';

const MAX_COMPARED = 500; // characters of a call; a quotation that agrees so far is one

const MIN_LETTERS = 16; // fewer letters and digits than this may follow each other in any text

/**
 * Whether the text of a call stands in the prompts or results of a conversation, so that the model may only quote it.
 * Line numbers, line breaks, quotes, escapes, signs of comments and letters that look alike make no difference, since a
 * quotation often has others.
 */
export function quotedIn(messages: readonly Message[], system: readonly string[]): (source: string) => boolean {
  let forms: readonly Form[] | undefined;
  return (source) => {
    forms ??= [...system, ...messages.flatMap(textsOf)].flatMap(variants).map(formOf);
    const { strict, letters } = formOf(source);
    const wanted = strict.slice(0, MAX_COMPARED);
    const wantedLetters = letters.slice(0, MAX_COMPARED);
    return forms.some(
      (form) =>
        form.strict.includes(wanted) || (wantedLetters.length >= MIN_LETTERS && form.letters.includes(wantedLetters)),
    );
  };
}

interface Form {
  strict: string;
  letters: string;
}

function formOf(text: string): Form {
  const plain = plainCharacters(text);
  return { strict: withoutQuotes(plain), letters: lettersAndDigits(plain) };
}

/** What a model may have read a text as. */
function variants(text: string): string[] {
  const inner = withoutMargin(text);
  const isMarkup = /<\/[a-z]/i.test(text);
  return [text, ...(inner === text ? [] : [inner]), ...(isMarkup ? [withoutTags(text), withoutTags(inner)] : [])];
}

function textsOf({ role, content }: Message): string[] {
  return role === 'user' ? content.flatMap(textsOfBlock) : [];
}

function textsOfBlock(block: UserBlock): string[] {
  if (block.type === 'text') return [block.text];
  if (block.type !== 'tool_result') return [];
  return typeof block.content === 'string' ? [block.content] : block.content.flatMap(textsOfBlock);
}
