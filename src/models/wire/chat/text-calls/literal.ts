const MAX_DEPTH = 100; // deeper than any input of a tool, and far from the limit of the stack

/** A value, and where it ends; or why there is none: the text ended inside it, or it is not a value. */
export type Literal = { value: unknown; end: number } | 'cut' | 'invalid';

/**
 * Reads the JSON value at `start`. Also accepts what can mean only one thing: Python's literals (`'text'`, `True`,
 * `None`, tuples), line breaks inside texts, and a comma after the last item. A key that occurs twice is refused.
 *
 * `closing`: the tag after the value. Objects that are still open there are closed, since only braces are missing.
 */
export function readLiteral(text: string, start: number, closing?: string): Literal {
  const reader = new LiteralReader(text, start, closing);
  const value = reader.value(0);
  if (value === none) return reader.ranOut ? 'cut' : 'invalid';
  return { value, end: reader.at };
}

/** The position of the next character that is not a space. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** The match of a sticky pattern at this position. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  const own = new RegExp(pattern); // a pattern remembers its last position
  own.lastIndex = at;
  return own.exec(text) ?? undefined;
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

const none = Symbol('no value');

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /[A-Za-z]+(?!\w)/y;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
]);
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class LiteralReader {
  readonly #text: string;
  readonly #closing: string | undefined;
  at: number;
  /** The text ended where more was needed. */
  ranOut = false;

  constructor(text: string, at: number, closing: string | undefined) {
    this.#text = text;
    this.#closing = closing;
    this.at = at;
  }

  value(depth: number): unknown {
    const char = this.#next();
    if (depth > MAX_DEPTH) return none;
    if (char === '{') return this.#object(depth);
    if (char === '[') return this.#list(depth, ']');
    if (char === '(') return this.#list(depth, ')');
    if (char === '"' || char === "'") return this.#string(char);
    const number = this.#match(NUMBER);
    if (number !== undefined) return Number(number);
    const word = this.#match(WORD);
    if (word !== undefined && WORDS.has(word)) return WORDS.get(word);
    if (this.at >= this.#text.length) this.ranOut = true;
    return none;
  }

  /** The next character that is not a space; empty at the end. */
  #next(): string {
    this.at = skipSpace(this.#text, this.at);
    if (this.at >= this.#text.length) this.ranOut = true;
    return this.#text.charAt(this.at);
  }

  #match(pattern: RegExp): string | undefined {
    const [text] = matchAt(pattern, this.#text, this.at) ?? [];
    if (text !== undefined) this.at += text.length;
    return text;
  }

  #object(depth: number): unknown {
    const fields = new Map<string, unknown>();
    this.at += 1;
    for (;;) {
      const char = this.#next();
      if (char === '}') break;
      if (char !== '"' && char !== "'") return none;
      const key = this.#string(char);
      if (typeof key !== 'string' || fields.has(key) || this.#next() !== ':') return none;
      this.at += 1;
      const value = this.value(depth + 1);
      if (value === none) return none;
      fields.set(key, value);
      const after = this.#next();
      if (after === ',') this.at += 1;
      else if (this.#isClosing()) return Object.fromEntries(fields);
      else if (after !== '}') return none;
    }
    this.at += 1;
    return Object.fromEntries(fields);
  }

  #isClosing(): boolean {
    return this.#closing !== undefined && this.#text.startsWith(this.#closing, this.at);
  }

  /** A list, or a tuple of Python with at least one comma: without, the brackets only group. */
  #list(depth: number, end: ']' | ')'): unknown {
    const items: unknown[] = [];
    let commas = 0;
    this.at += 1;
    while (this.#next() !== end) {
      const value = this.value(depth + 1);
      if (value === none) return none;
      items.push(value);
      const after = this.#next();
      if (after === ',') {
        this.at += 1;
        commas += 1;
      } else if (after !== end) return none;
    }
    this.at += 1;
    return end === ')' && commas === 0 ? none : items;
  }

  #string(quote: string): unknown {
    const text = this.#text;
    let out = '';
    let from = this.at + 1;
    for (let at = from; at < text.length; at += 1) {
      const char = text.charAt(at);
      if (char === quote) {
        this.at = at + 1;
        return out + text.slice(from, at);
      }
      if (char !== '\\') continue;
      const escaped = text.charAt(at + 1);
      const code = escaped === 'u' ? /^[0-9a-fA-F]{4}$/.exec(text.slice(at + 2, at + 6))?.[0] : undefined;
      const meaning = code === undefined ? ESCAPES[escaped] : String.fromCharCode(Number.parseInt(code, 16));
      if (meaning === undefined) {
        this.ranOut = at + (escaped === 'u' ? 6 : 2) > text.length;
        return none;
      }
      out += text.slice(from, at) + meaning;
      at += code === undefined ? 1 : 5;
      from = at + 1;
    }
    this.ranOut = true;
    return none;
  }
}
