// Parses Markdown for display, within limits: no text of a model may hold up the screen.
import { Marked, type Token, Tokenizer } from 'marked';

const MAX_SCANNED = 500_000; // characters that are searched in vain for the ends of marks
const MAX_BLOCK = 60_000; // characters without a blank line: more is data, and would hold up the keys
const MAX_ESCAPED_BRACKETS = 500; // the parser looks for the end of each in all that follows

/** Undefined for what is nested too deeply for the parser, or would take it long: it is to be drawn as plain text. */
export function markdownTokens(text: string): Token[] | undefined {
  if (text.length > MAX_BLOCK || text.split('\\[', MAX_ESCAPED_BRACKETS + 2).length > MAX_ESCAPED_BRACKETS)
    return undefined;
  try {
    return boundedParser().lexer(text);
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
function boundedParser(): Marked {
  const usual = Tokenizer.prototype;
  let scanned = 0;
  const bounded = <Found>(source: string, marks: string, find: () => Found | undefined): Found | undefined => {
    if (!marks.includes(source.charAt(0))) return undefined;
    if (scanned > MAX_SCANNED) return undefined;
    const found = find();
    if (found === undefined) scanned += source.length;
    return found;
  };
  return new Marked({
    tokenizer: {
      emStrong(source, masked, before) {
        return bounded(source, '*_', () => usual.emStrong.call(this, source, masked, before));
      },
      codespan(source) {
        return bounded(source, '`', () => usual.codespan.call(this, source));
      },
      link(source) {
        return bounded(source, '[!', () => usual.link.call(this, source));
      },
      tag(source) {
        return bounded(source, '<', () => usual.tag.call(this, source));
      },
      // A single tilde is an approximate number or the home folder, not struck text.
      del(source, masked, before) {
        if (!source.startsWith('~~')) return undefined;
        return bounded(source, '~', () => usual.del.call(this, source, masked, before));
      },
    },
  });
}
