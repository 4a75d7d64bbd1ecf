import { messageOf } from '../message-of.js';
import { canEndNumber, isDigit, type NumberPart, nextNumberPart } from './json-number.js';
import { describeFault, hex, isHighSurrogate, type JsonFault, type JsonProblem } from './json-problem.js';

const MAX_DEPTH = 512; // no tool's input nests this deep, and JSON.parse must never overflow its stack
export type JsonResult = { ok: true; value: unknown } | { ok: false; error: JsonProblem };

/**
 * Parses a JSON text that arrives in chunks of any size. Each character is scanned once, however finely the text is
 * split; only `value`, `text` and `finish` cost the length so far.
 */
export class PartialJson {
  readonly #received = new TextPieces();
  #length = 0;
  #state: State = 'value';
  readonly #open: Container[] = [];
  #root: unknown;
  #problem: JsonFault | undefined;

  // The string, number or literal that is being parsed.
  #token = new TextPieces();
  #isName = false;
  #hexDigits = '';
  #numberPart: NumberPart = 'sign';
  #literal: Literal = LITERALS.t;
  #literalRead = 0;

  push(text: string): void {
    this.#received.add(text);
    let at = 0;
    while (at < text.length && this.#problem === undefined) at = this.#read(text, at);
    this.#length += text.length;
  }

  get text(): string {
    return this.#received.join();
  }

  /**
   * The value so far, for display: strings as far as they have arrived, names, numbers and literals once they are
   * complete, and `undefined` before anything is. Later chunks do not change a value returned earlier; finished parts
   * are shared between snapshots, so don't modify one. Never act on it: use `finish` for that.
   */
  get value(): unknown {
    let inner: unknown = this.#openString();
    for (const container of this.#open.toReversed()) {
      if (container.kind === 'array') {
        inner = inner === undefined ? [...container.items] : [...container.items, inner];
      } else {
        const members = { ...container.members };
        if (inner !== undefined) setOwn(members, container.name, inner);
        inner = members;
      }
    }
    return inner === undefined ? this.#root : inner;
  }

  /**
   * The value if the text, ending here, is complete. Accepts what `JSON.parse` accepts (up to a depth of 512) and
   * returns the same value. More may be pushed afterwards.
   */
  finish(): JsonResult {
    const text = this.text;
    const problem = this.#problem ?? this.#missingEnd();
    if (problem) return { ok: false, error: describeFault(problem, text) };
    try {
      return { ok: true, value: JSON.parse(text) };
    } catch (error) {
      // Both parsers should agree. If they don't, the text counts as invalid: nothing runs that one of them rejects.
      const reason = (): string => `JSON.parse refuses it (${messageOf(error)})`;
      return { ok: false, error: describeFault({ position: 0, reason, truncated: false }, text) };
    }
  }

  /** Parses from `at` on and returns where to continue: the same offset if a token ended just before it. */
  #read(text: string, at: number): number {
    switch (this.#state) {
      case 'string':
        return this.#readString(text, at);
      case 'escape':
        return this.#readEscape(text.charAt(at), at);
      case 'hex':
        return this.#readHexDigit(text.charAt(at), at);
      case 'number':
        return this.#readNumber(text.charAt(at), at);
      case 'literal':
        return this.#readLiteral(text.charAt(at), at);
      default:
        return this.#readBetweenTokens(text.charAt(at), at, this.#state);
    }
  }

  #readBetweenTokens(char: string, at: number, state: BetweenTokens): number {
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') return at + 1;
    switch (state) {
      case 'first item':
        if (char === ']') return this.#close(at);
        return this.#startValue(char, at, state);
      case 'value':
      case 'item':
      case 'member':
        return this.#startValue(char, at, state);
      case 'first name':
      case 'name':
        if (char === '}' && state === 'first name') return this.#close(at);
        if (char !== '"') return this.#failExpecting(state, at);
        return this.#startToken('string', at, { isName: true });
      case 'colon':
        if (char !== ':') return this.#failExpecting(state, at);
        this.#state = 'member';
        return at + 1;
      case 'after item':
        if (char === ']') return this.#close(at);
        if (char !== ',') return this.#failExpecting(state, at);
        this.#state = 'item';
        return at + 1;
      case 'after member':
        if (char === '}') return this.#close(at);
        if (char !== ',') return this.#failExpecting(state, at);
        this.#state = 'name';
        return at + 1;
      case 'end':
        return this.#failExpecting(state, at);
    }
  }

  #startValue(char: string, at: number, state: BetweenTokens): number {
    if (char === '"') return this.#startToken('string', at, { isName: false });
    if (char === '{') return this.#enter({ kind: 'object', members: {}, name: '' }, 'first name', at);
    if (char === '[') return this.#enter({ kind: 'array', items: [] }, 'first item', at);
    if (char === 't' || char === 'f' || char === 'n') {
      this.#literal = LITERALS[char];
      this.#literalRead = 1;
      this.#state = 'literal';
      return at + 1;
    }
    const part = nextNumberPart('start', char);
    if (part === undefined) return this.#failExpecting(state, at);
    this.#numberPart = part;
    this.#startToken('number', at, { isName: false });
    this.#token.add(char);
    return at + 1;
  }

  #startToken(state: 'string' | 'number', at: number, { isName }: { isName: boolean }): number {
    this.#token = new TextPieces();
    this.#isName = isName;
    this.#state = state;
    return at + 1;
  }

  #enter(container: Container, state: BetweenTokens, at: number): number {
    if (this.#open.length === MAX_DEPTH) return this.#fail(at, () => `nested deeper than ${MAX_DEPTH} levels`);
    this.#open.push(container);
    this.#state = state;
    return at + 1;
  }

  #close(at: number): number {
    const closed = this.#open.pop();
    this.#complete(closed?.kind === 'array' ? closed.items : closed?.members);
    return at + 1;
  }

  /** Stores a finished value in its parent. */
  #complete(value: unknown): void {
    const container = this.#open.at(-1);
    if (container === undefined) {
      this.#root = value;
      this.#state = 'end';
    } else if (container.kind === 'array') {
      container.items.push(value);
      this.#state = 'after item';
    } else {
      setOwn(container.members, container.name, value);
      this.#state = 'after member';
    }
  }

  #readString(text: string, start: number): number {
    let end = start;
    while (end < text.length && isPlain(text.charCodeAt(end))) end += 1;
    if (end > start) this.#token.add(text.slice(start, end));
    if (end === text.length) return end;

    const char = text.charAt(end);
    if (char === '\\') this.#state = 'escape';
    else if (char === '"') this.#completeString();
    else return this.#fail(end, () => controlCharacter(char));
    return end + 1;
  }

  #completeString(): void {
    const text = this.#token.join();
    const container = this.#open.at(-1);
    if (this.#isName && container?.kind === 'object') {
      container.name = text;
      this.#state = 'colon';
    } else {
      this.#complete(text);
    }
  }

  #readEscape(char: string, at: number): number {
    if (char === 'u') {
      this.#hexDigits = '';
      this.#state = 'hex';
      return at + 1;
    }
    const meant = ESCAPES[char];
    if (meant === undefined)
      return this.#fail(at, (found) => `bad escape: expected one of "\\/bfnrtu after \\, ${found}`);
    this.#token.add(meant);
    this.#state = 'string';
    return at + 1;
  }

  #readHexDigit(char: string, at: number): number {
    const before = this.#hexDigits;
    if (!/[0-9a-fA-F]/.test(char)) {
      return this.#fail(at, (found) => `bad escape \\u${before}: expected four hexadecimal digits after \\u, ${found}`);
    }
    this.#hexDigits += char;
    if (this.#hexDigits.length === 4) {
      this.#token.add(String.fromCharCode(Number.parseInt(this.#hexDigits, 16)));
      this.#state = 'string';
    }
    return at + 1;
  }

  #readNumber(char: string, at: number): number {
    const part = nextNumberPart(this.#numberPart, char);
    if (part !== undefined) {
      this.#numberPart = part;
      this.#token.add(char);
      return at + 1;
    }
    if (this.#numberPart === 'zero' && isDigit(char)) return this.#fail(at, () => 'a number with a leading zero');
    if (!canEndNumber(this.#numberPart)) return this.#fail(at, (found) => `expected a digit in a number, ${found}`);
    this.#complete(Number(this.#token.join()));
    return at; // the character that ended the number is not part of it
  }

  #readLiteral(char: string, at: number): number {
    const { word, value } = this.#literal;
    if (char !== word[this.#literalRead]) return this.#fail(at, (found) => `expected the word ${word}, ${found}`);
    this.#literalRead += 1;
    if (this.#literalRead === word.length) this.#complete(value);
    return at + 1;
  }

  /** The string value that is still open, without a high surrogate whose low surrogate has not arrived. */
  #openString(): string | undefined {
    const inString = this.#state === 'string' || this.#state === 'escape' || this.#state === 'hex';
    if (!inString || this.#isName) return undefined;
    const text = this.#token.join();
    let end = text.length;
    while (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    return text.slice(0, end);
  }

  #failExpecting(state: BetweenTokens, at: number): number {
    return this.#fail(at, (found) => `expected ${EXPECTED[state]}, ${found}`);
  }

  #fail(at: number, reason: JsonFault['reason']): number {
    this.#problem = { position: this.#length + at, reason, truncated: false };
    return at;
  }

  #missingEnd(): JsonFault | undefined {
    const state = this.#state;
    if (state === 'end') return undefined;
    if (state === 'number' && this.#open.length === 0 && canEndNumber(this.#numberPart)) return undefined;
    return { position: this.#length, reason: () => this.#whatEnded(state), truncated: true };
  }

  #whatEnded(state: State): string {
    switch (state) {
      case 'string':
        return `unexpected end inside a ${this.#isName ? 'property name' : 'string'}`;
      case 'escape':
      case 'hex':
        return `unexpected end inside an escape in a ${this.#isName ? 'property name' : 'string'}`;
      case 'number':
        return 'unexpected end inside a number';
      case 'literal':
        return `unexpected end inside the word ${this.#literal.word}`;
      default:
        return `unexpected end: expected ${EXPECTED[state]}`;
    }
  }
}

/** A text that grows by small chunks and is joined only on demand. */
class TextPieces {
  #blocks: string[] = [];
  #recent: string[] = [];

  add(piece: string): void {
    // A thousand chunks are joined into one block, so that memory holds characters and not the overhead of tiny
    // strings.
    if (this.#recent.push(piece) === 1024) {
      this.#blocks.push(this.#recent.join(''));
      this.#recent = [];
    }
  }

  join(): string {
    const text = this.#blocks.concat(this.#recent).join('');
    this.#blocks = [text];
    this.#recent = [];
    return text;
  }
}

type State = BetweenTokens | 'string' | 'escape' | 'hex' | 'number' | 'literal';

type BetweenTokens = keyof typeof EXPECTED;

const EXPECTED = {
  value: 'a value',
  'first item': "a value or ']'",
  item: "a value after ','",
  'after item': "',' or ']' after an array element",
  'first name': "a property name in double quotes or '}'",
  name: "a property name in double quotes after ','",
  colon: "':' after a property name",
  member: "a value after ':'",
  'after member': "',' or '}' after a property value",
  end: 'nothing more after the end of the value',
} as const;

type Container =
  | { kind: 'array'; items: unknown[] }
  | { kind: 'object'; members: Record<string, unknown> /** The last name read. */; name: string };

const LITERALS = {
  t: { word: 'true', value: true },
  f: { word: 'false', value: false },
  n: { word: 'null', value: null },
} as const;

type Literal = (typeof LITERALS)[keyof typeof LITERALS];

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** A literal character of a string: no quote, no backslash, no control character. */
const isPlain = (code: number): boolean => code !== 0x22 && code !== 0x5c && code >= 0x20;

/** As JSON.parse does: `__proto__` is an ordinary property and sets no prototype. */
function setOwn(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    members[name] = value;
  }
}

function controlCharacter(char: string): string {
  const short = Object.keys(ESCAPES).find((letter) => ESCAPES[letter] === char);
  const written = short === undefined ? `\\u${hex(char)}` : `\\${short}`;
  return `control character U+${hex(char)} in a string, which must be written as ${written}`;
}
