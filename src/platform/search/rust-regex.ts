import { SearchFailure } from './query.js';

export interface RegexOptions {
  ignoreCase: boolean;
  /** The pattern may match newlines, and "." matches any character. */
  multiline: boolean;
}

/**
 * Translates a pattern in ripgrep's syntax (Rust's `regex`) to JavaScript: Unicode classes, "^" and "$" at line ends,
 * group names. Look-around and back-references, which only ripgrep's PCRE2 engine supports, work as well. Throws
 * `SearchFailure` for constructs without a counterpart.
 */
export function fromRustRegex(pattern: string, wish: RegexOptions): RegExp {
  const source = new Translation(pattern, wish);
  const text = source.run();
  try {
    return new RegExp(text, source.ignoreCase ? 'giv' : 'gv');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^.*\/[a-z]*: /s, '') : String(cause);
    throw new SearchFailure(`regex parse error in ${pattern}: ${lowerFirst(why)}.`, { cause });
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';
const TEXT_START = '(?<![^])';
const TEXT_END = '(?![^])';
const LINE_START = `(?:${TEXT_START}|(?<=\\n)|(?<=\\r)(?!\\n))`;
const LINE_END = `(?:${TEXT_END}|(?=\\r)|(?<!\\r)(?=\\n))`;
const WORD_START = `(?:(?<!${WORD})(?=${WORD}))`;
const WORD_END = `(?:(?<=${WORD})(?!${WORD}))`;

/** Letters that stand for character classes, inside brackets as well as outside. */
const SETS: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  s: '\\p{White_Space}',
  S: '\\P{White_Space}',
  w: WORD,
  W: WORD.replace('[', '[^'),
  h: '[\\t\\p{Zs}]',
};

const PLACES: Readonly<Record<string, string>> = {
  A: TEXT_START,
  z: TEXT_END,
  Z: `(?=\\n?${TEXT_END})`,
  b: `(?:${WORD_START}|${WORD_END})`,
  B: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  '<': WORD_START,
  '>': WORD_END,
};

const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
};

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t-\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** Flags that apply inside a group, from where they are set. */
interface Mode {
  dotAll: boolean;
  lineAnchors: boolean;
}

class Translation {
  ignoreCase: boolean;
  private readonly pattern: string;
  private readonly multiline: boolean;
  private at = 0;
  private readonly modes: Mode[];

  constructor(pattern: string, { ignoreCase, multiline }: RegexOptions) {
    this.pattern = pattern;
    this.ignoreCase = ignoreCase;
    this.multiline = multiline;
    this.modes = [{ dotAll: multiline, lineAnchors: true }];
  }

  run(): string {
    let result = '';
    while (this.at < this.pattern.length) result += this.next();
    return result;
  }

  private get mode(): Mode {
    return this.modes.at(-1) ?? { dotAll: false, lineAnchors: true };
  }

  private next(): string {
    const character = this.take(/[\s\S]/uy);
    switch (character) {
      case '\\':
        return this.escape();
      case '[':
        return this.characterClass();
      case '(':
        return this.group();
      case ')':
        if (this.modes.length > 1) this.modes.pop();
        return ')';
      case '.':
        return this.mode.dotAll ? '[^]' : '[^\\n\\r]';
      case '^':
        return this.mode.lineAnchors ? LINE_START : TEXT_START;
      case '$':
        return this.mode.lineAnchors ? LINE_END : TEXT_END;
      case '{':
        return this.repetition();
      case '*':
      case '+':
      case '?':
      case '|':
        return character;
      default:
        return this.literal(character);
    }
  }

  /** Consumes a match of the (sticky) expression at the current position, or nothing. */
  private take(expression: RegExp): string {
    expression.lastIndex = this.at;
    const found = expression.exec(this.pattern)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private repetition(): string {
    const limits = this.take(/\d*,?\d*\}/y);
    if (!/\d/.test(limits)) {
      this.at -= limits.length;
      return '\\{'; // not a repetition, so the brace is literal
    }
    return limits.startsWith(',') ? `{0${limits}` : `{${limits}`;
  }

  private group(): string {
    if (this.take(/\?#/y)) {
      this.take(/[^)]*\)?/y);
      return '';
    }
    const looks = this.take(/\?(?:[:=!]|<[=!])/y);
    const name = looks ? '' : this.take(/\?P?<[A-Za-z_][\w.[\]]*>/y);
    if (looks || name || this.pattern[this.at] !== '?') {
      this.modes.push({ ...this.mode });
      return `(${looks || name.replace('?P', '?')}`;
    }
    const backReference = /^\?P=(\w+)\)/.exec(this.pattern.slice(this.at));
    if (backReference) {
      this.at += backReference[0].length;
      return `\\k<${backReference[1]}>`;
    }
    return this.flags();
  }

  private flags(): string {
    const isAtStart = this.at === 1 || /^(?:\(\?[a-zA-Z-]+\))+\($/.test(this.pattern.slice(0, this.at));
    const [whole, on = '', off = '', end] =
      /^\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])/.exec(this.pattern.slice(this.at)) ?? [];
    if (whole === undefined) throw this.unknown(`(${this.pattern.slice(this.at, this.at + 3)}`);
    this.at += whole.length;
    const mode = { ...this.mode };
    for (const flag of [...on, ...off]) {
      const isOn = on.includes(flag);
      if (flag === 's') mode.dotAll = isOn;
      else if (flag === 'm') mode.lineAnchors = isOn;
      else if (flag === 'i') this.changeCase(isOn, isAtStart && end === ')');
      else if (!('uR'.includes(flag) && isOn)) throw this.unknown(`the flag "${flag}"`);
    }
    if (end === ':') {
      this.modes.push(mode);
      return '(?:';
    }
    this.modes[this.modes.length - 1] = mode;
    return '';
  }

  private changeCase(ignoreCase: boolean, isForAll: boolean): void {
    if (ignoreCase === this.ignoreCase) return;
    if (!isForAll) throw this.unknown('the flag "i" for a part of the pattern');
    this.ignoreCase = ignoreCase;
  }

  private escape(): string {
    const reference = this.take(/[1-9]\d*/y);
    if (reference) return `\\${reference}(?:)`; // so that a following digit is not part of its number
    const named = this.take(/k(?:<\w+>|\{\w+\})/y);
    if (named) return `\\k<${named.slice(2, -1)}>`;
    const boundary = this.take(/b\{(?:start|end)\}/y);
    if (boundary) return boundary === 'b{start}' ? WORD_START : WORD_END;
    const place = PLACES[this.pattern[this.at] ?? ''];
    if (place !== undefined) {
      this.at += 1;
      return place;
    }
    return this.setEscape() ?? this.literal(this.characterEscape());
  }

  private setEscape(): string | undefined {
    const property = this.take(/[pP](?:\{[^}]*\}|[A-Za-z])/y);
    if (property) return this.property(property);
    const set = SETS[this.pattern[this.at] ?? ''];
    if (set !== undefined) this.at += 1;
    return set;
  }

  private property(text: string): string {
    const inner = text.slice(1).replace(/^\{|\}$/g, '');
    const isNegated = inner.startsWith('^') !== text.startsWith('P');
    const name = inner.replace(/^\^/, '').replace(/\s*[:=]\s*/, '=');
    // JavaScript requires `Script=` for scripts, and the standard's spelling of names.
    const spelled = name.charAt(0).toUpperCase() + name.slice(1);
    const candidates = [name, spelled, `Script=${spelled}`];
    const known = candidates.find((candidate) => isProperty(candidate));
    if (known === undefined) throw this.unknown(`the property \\${text}`);
    return `\\${isNegated ? 'P' : 'p'}{${known}}`;
  }

  /** The character that an escape denotes. */
  private characterEscape(): string {
    const code = this.take(
      /x\{[0-9A-Fa-f]+\}|u\{[0-9A-Fa-f]+\}|U\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}/y,
    );
    if (code) {
      const value = Number.parseInt(code.replace(/[xuU{}]/g, ''), 16);
      if (value > 0x10ffff) throw this.unknown(`\\${code}`);
      return String.fromCodePoint(value);
    }
    const character = this.take(/[\s\S]/uy);
    if (character === '')
      throw new SearchFailure('regex parse error: incomplete escape sequence, reached end of pattern');
    if (CONTROLS[character] !== undefined) return CONTROLS[character];
    if (/[0-9A-Za-z]/.test(character)) throw this.unknown(`the escape \\${character}`);
    return character;
  }

  private literal(character: string): string {
    if (character === '\n' && !this.multiline) {
      throw new SearchFailure('the literal "\\n" is not allowed in a regex that is matched line by line');
    }
    return quoted(character);
  }

  private characterClass(): string {
    const negated = this.take(/\^/y);
    let before = ''; // the text before the last operator, and the operator
    let members = '';
    for (let isFirst = true; ; isFirst = false) {
      if (this.at >= this.pattern.length) throw new SearchFailure('regex parse error: unclosed character class');
      if (!isFirst && this.take(/\]/y)) break;
      const operator = isFirst ? '' : this.take(/&&|--|~~/y);
      if (operator === '~~') throw this.unknown('"~~" in a class');
      if (operator) {
        before = `${before ? `[${before}[${members}]]` : `[${members}]`}${operator}`;
        members = '';
      } else members += this.classItem();
    }
    return before ? `[${negated}${before}[${members}]]` : `[${negated}${members}]`;
  }

  private classItem(): string {
    const posix = this.take(/\[:\^?[a-z]+:\]/y);
    if (posix) {
      const set = POSIX[posix.replace(/[^a-z]/g, '')];
      if (set === undefined) throw this.unknown(`the class ${posix}`);
      return `[${posix.includes('^') ? '^' : ''}${set}]`;
    }
    if (this.pattern[this.at] === '[') {
      this.at += 1;
      return this.characterClass();
    }
    const first = this.classCharacter();
    if (first.length > 2) return first; // a class, which starts no range
    if (!/^-(?![\]-])/.test(this.pattern.slice(this.at, this.at + 2))) return first;
    this.at += 1;
    return `${first}-${this.classCharacter()}`;
  }

  private classCharacter(): string {
    if (!this.take(/\\/y)) return quotedInClass(this.take(/[\s\S]/uy));
    return this.setEscape() ?? quotedInClass(this.characterEscape());
  }

  private unknown(what: string): SearchFailure {
    return new SearchFailure(
      `${what} is not understood by the search that stands in for ripgrep. Write the pattern without it, or ask the user to install ripgrep.`,
    );
  }
}

function isProperty(name: string): boolean {
  try {
    return new RegExp(`\\p{${name}}`, 'v') !== undefined;
  } catch {
    return false;
  }
}

const quoted = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');

/** Doubled punctuation in a class has a meaning there, or may get one. */
const quotedInClass = (character: string): string => character.replace(/[\\^()[\]{}|/\-&!#%,:;<=>@`~]/, '\\$&');
