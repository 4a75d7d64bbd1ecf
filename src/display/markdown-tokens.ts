// Parses Markdown for display, within limits: no text of a model may hold up the screen.
import { getDefaults, Lexer, type Token, Tokenizer, type Tokens } from 'marked';

const MAX_SCANNED = 500_000; // characters that are searched in vain for the ends of marks
const MAX_BLOCK = 60_000; // characters without a blank line: more is data, and would hold up the keys
const MAX_ESCAPED_BRACKETS = 500; // the parser looks for the end of each in all that follows

/** Undefined for what is nested too deeply for the parser, or would take it long: it is to be drawn as plain text. */
export function markdownTokens(text: string): Token[] | undefined {
  if (text.length > MAX_BLOCK || text.split('\\[', MAX_ESCAPED_BRACKETS + 2).length > MAX_ESCAPED_BRACKETS)
    return undefined;
  try {
    return new Lexer({ ...getDefaults(), tokenizer: new BoundedTokenizer() }).lex(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // the stack is full
    return undefined;
  }
}

/** Only schemes that a browser or a mail program opens: the effect of `file:` or a custom scheme is not visible to the person. */
export const isSafeAddress = (address: string): boolean => /^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/i.test(address);

/**
 * For each mark that opens something, the parser looks for its end in all of the text that follows. Where many have no
 * end, the time would grow with the square of the text, so the marks behind a limit are text.
 */
class BoundedTokenizer extends Tokenizer {
  #scanned = 0;

  override emStrong(source: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    return this.#bounded(source, '*_', () => super.emStrong(source, masked, before));
  }

  override codespan(source: string): Tokens.Codespan | undefined {
    return this.#bounded(source, '`', () => super.codespan(source));
  }

  override link(source: string): Tokens.Link | Tokens.Image | undefined {
    return this.#bounded(source, '[!', () => super.link(source));
  }

  override tag(source: string): Tokens.Tag | undefined {
    return this.#bounded(source, '<', () => super.tag(source));
  }

  /** A single tilde is an approximate number or the home folder, not struck text. */
  override del(source: string, masked: string, before?: string): Tokens.Del | undefined {
    if (!source.startsWith('~~')) return undefined;
    return this.#bounded(source, '~', () => super.del(source, masked, before));
  }

  #bounded<Found>(source: string, marks: string, find: () => Found | undefined): Found | undefined {
    if (!marks.includes(source.charAt(0)) || this.#scanned > MAX_SCANNED) return undefined;
    const found = find();
    if (found === undefined) this.#scanned += source.length;
    return found;
  }
}
