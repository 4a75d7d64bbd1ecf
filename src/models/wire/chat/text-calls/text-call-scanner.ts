import { insideFence } from './fence.js';
import { messageFormats, type TextCallFormat, taggedFormats } from './formats.js';
import { skipSpace } from './literal.js';
import type { OfferedTools, WrittenCall } from './written-call.js';

const MAX_HELD = 2_000_000; // characters; a longer text is shown as it is
const MAX_UNDECIDED = 400; // the longest beginning that leaves open whether the message is a call
const MAX_INDENT = 3; // more is a code block in Markdown

/** The calls that a text ends with. */
export interface FoundCalls {
  format: TextCallFormat;
  calls: readonly WrittenCall[];
}

export interface ScannerOptions {
  tools: OfferedTools;
  /** Whether the text of a call is a quotation. */
  isQuoted(source: string): boolean;
}

interface Opening {
  text: string;
  needsOwnLine: boolean;
}

const openings: readonly Opening[] = [
  ...new Map(
    Object.values(taggedFormats).flatMap(({ openings: texts, needsOwnLine }) =>
      texts.map((text) => [text, { text, needsOwnLine }] as const),
    ),
  ).values(),
];

/**
 * Finds calls in an answer that arrives in pieces. Text is passed on at once, except where it may be the start of a
 * call. What follows the start of a call is held back until the end, since a call counts only if nothing but calls
 * follows it. Looks at each character a bounded number of times.
 */
export class TextCallScanner {
  readonly #options: ScannerOptions;
  #state: 'beginning' | 'text' | 'held' | 'off' = 'beginning';
  /** In `beginning` and `held`: everything; in `text`: characters that may be the start of an opening. */
  #waiting: string[] = [];
  #waitingLength = 0;
  /** The text so far is held as a message that may be nothing but calls. */
  #mayBeMessage = false;
  readonly #lines = new LinePosition();

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  /** Takes the next text and returns what is not part of a call. */
  push(text: string): string {
    if (this.#state === 'off') return text;
    if (this.#state === 'beginning') return this.#begin(text);
    if (this.#state === 'text') return this.#scan(text);
    return this.#hold(text);
  }

  /** Returns what was held back, and holds back nothing from now on. */
  release(): string {
    this.#state = 'off';
    return this.#takeWaiting();
  }

  /** The end of the answer: the calls, and the text that turned out to be none. */
  finish(): { text: string; found?: FoundCalls } {
    const held = this.#takeWaiting();
    const state = this.#state;
    this.#state = 'off';
    if (state === 'text' || state === 'off') return { text: held };
    if (state === 'held' && !this.#mayBeMessage) {
      const found = this.#accepted(readTagged(held, this.#options.tools));
      return found ? { text: '', found } : { text: held };
    }
    const found = this.#accepted(readMessage(held, this.#options.tools));
    if (found) return { text: '', found };
    this.#state = 'text'; // there may be a tag further on
    this.#mayBeMessage = false;
    const shown = this.#scan(held);
    const rest = this.finish();
    return { ...rest, text: shown + rest.text };
  }

  #accepted(found: FoundCalls | undefined): FoundCalls | undefined {
    const { tools, isQuoted } = this.#options;
    const isTrue = found?.calls.every(({ name, source }) => tools.has(name) && !isQuoted(source));
    return isTrue ? found : undefined;
  }

  #takeWaiting(): string {
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingLength = 0;
    return text;
  }

  #wait(text: string): void {
    this.#waiting.push(text);
    this.#waitingLength += text.length;
  }

  #begin(text: string): string {
    let begun = this.#takeWaiting();
    for (let at = 0; at < text.length; at += 1) {
      begun += text.charAt(at);
      const decision = begun.length > MAX_UNDECIDED ? 'no' : this.#mayBegin(begun.trimStart());
      if (decision === 'maybe') continue;
      this.#state = decision === 'no' ? 'text' : 'held';
      if (decision === 'no') return this.#scan(begun + text.slice(at + 1));
      this.#mayBeMessage = true;
      this.#wait(begun);
      return this.#hold(text.slice(at + 1));
    }
    this.#wait(begun);
    return '';
  }

  #mayBegin(begun: string): 'no' | 'maybe' | 'yes' {
    if (begun === '') return 'maybe';
    const fenced = insideFence(begun);
    if (typeof fenced === 'string') return fenced;
    const answers = Object.values(messageFormats).map((format) => format.mayBegin(fenced.inside, this.#options.tools));
    return (['yes', 'maybe'] as const).find((answer) => answers.includes(answer)) ?? 'no';
  }

  #hold(text: string): string {
    this.#wait(text);
    if (this.#waitingLength <= MAX_HELD) return '';
    this.#state = 'off';
    return this.#takeWaiting();
  }

  #scan(text: string): string {
    let candidate = this.#takeWaiting();
    const out: string[] = [];
    for (let at = 0; at < text.length; at += 1) {
      if (candidate === '') {
        const next = nextFirst(text, at);
        out.push(text.slice(at, next));
        this.#lines.pass(text.slice(at, next));
        at = next;
        if (at >= text.length) break;
      }
      candidate += text[at];
      while (candidate !== '' && !this.#mayOpen(candidate)) {
        const [first = ''] = candidate;
        out.push(first);
        this.#lines.pass(first);
        candidate = candidate.slice(first.length);
      }
      if (!openings.some((opening) => opening.text === candidate && this.#isAllowed(opening))) continue;
      this.#state = 'held';
      this.#wait(candidate);
      out.push(this.#hold(text.slice(at + 1)));
      return out.join('');
    }
    if (candidate !== '') this.#wait(candidate);
    return out.join('');
  }

  #mayOpen(candidate: string): boolean {
    return openings.some((opening) => opening.text.startsWith(candidate) && this.#isAllowed(opening));
  }

  #isAllowed({ needsOwnLine }: Opening): boolean {
    const { inFence, indent, last } = this.#lines;
    if (inFence || '`"\'\\'.includes(last || ' ')) return false;
    return !needsOwnLine || (indent !== undefined && indent <= MAX_INDENT);
  }
}

const firsts: ReadonlySet<string> = new Set(openings.map(({ text }) => text.charAt(0)));

/** The position of the next character that an opening can begin with. */
function nextFirst(text: string, from: number): number {
  let at = from;
  while (at < text.length && !firsts.has(text.charAt(at))) at += 1;
  return at;
}

/** Where in its line and in which kind of block a text has arrived. */
class LinePosition {
  /** The spaces before the text of this line; undefined once it has text. */
  indent: number | undefined = 0;
  /** The last character; empty at the start. */
  last = '';
  /** The fence that opened the code block. */
  #open: { char: string; length: number } | undefined;
  /** What this line begins with, if that may be a fence, and whether other text follows it. */
  #mark = { char: '', length: 0, hasMore: false };

  get inFence(): boolean {
    return this.#open !== undefined;
  }

  pass(text: string): void {
    for (const char of text) {
      if (char === '\n') this.#endLine();
      else if (this.indent !== undefined && (char === ' ' || char === '\t')) this.indent += char === '\t' ? 4 : 1;
      else if (this.indent !== undefined && (char === '`' || char === '~')) {
        this.#mark = { char, length: 1, hasMore: false };
        this.indent = undefined;
      } else if (char === this.#mark.char && char === this.last && !this.#mark.hasMore) this.#mark.length += 1;
      else {
        this.#mark.hasMore ||= char.trim() !== '';
        this.indent = undefined;
      }
      this.last = char;
    }
  }

  #endLine(): void {
    const { char, length, hasMore } = this.#mark;
    if (length >= 3 && !this.#open) this.#open = { char, length };
    else if (this.#open?.char === char && length >= this.#open.length && !hasMore) this.#open = undefined;
    this.#mark = { char: '', length: 0, hasMore: false };
    this.indent = 0;
  }
}

function readTagged(text: string, tools: OfferedTools): FoundCalls | undefined {
  const calls: WrittenCall[] = [];
  let format: TextCallFormat | undefined;
  let at = 0;
  while (at < text.length) {
    const block = blockAt(text, at, tools);
    if (!block) return undefined;
    format ??= block.format;
    calls.push(...block.calls);
    at = skipSpace(text, block.end);
  }
  return format && { format, calls };
}

function blockAt(text: string, at: number, tools: OfferedTools): (FoundCalls & { end: number }) | undefined {
  for (const [name, { openings: texts, read }] of Object.entries(taggedFormats)) {
    if (!texts.some((opening) => text.startsWith(opening, at))) continue;
    const block = read(text, at, tools);
    if (block) return { ...block, format: name as TextCallFormat }; // a key of the table
  }
  return undefined;
}

function readMessage(text: string, tools: OfferedTools): FoundCalls | undefined {
  const message = text.trim();
  for (const [name, { read }] of Object.entries(messageFormats)) {
    const calls = read(message, tools);
    if (calls && calls.length > 0) return { format: name as TextCallFormat, calls }; // a key of the table
  }
  return undefined;
}
