// A parser for GNU sed that accepts only scripts that print: scripts that write or read files, run commands or are
// parsed differently by another sed (BSD, busybox) are refused. If implementations split a script differently, all
// readings must agree.

/** The verdict on a script: why it is refused, or whether it goes beyond `p` and `s` with common delimiters. */
export interface SedScript {
  why?: string;
  intricate?: boolean;
}

const COMMON_DELIMITERS = /^[/|#,:@%!~_+=]$/;

/** The script in the parts given by `-e`: a part ends everything that it began, except blocks. */
export function checkSed(parts: readonly (string | undefined)[]): SedScript {
  const parser = new SedParser();
  for (const part of parts) {
    if (part === undefined) return { why: 'its script is not known' };
    const why = parser.part(part);
    if (why !== undefined) return { why };
  }
  if (parser.depth !== 0) return { why: 'its script is not understood: a block does not end' };
  return parser.intricate ? { intricate: true } : {};
}

class SedParser {
  depth = 0;
  intricate = false;
  #script = '';
  #at = 0;

  part(script: string): string | undefined {
    this.#script = script;
    this.#at = 0;
    // Outside ASCII, a byte of a character may be a backslash or a delimiter in the command's locale.
    if (/[^\n\t\x20-\x7e]/.test(script)) this.intricate = true;
    if (/[\r\0]/.test(script)) return 'its script holds a control character';
    for (;;) {
      this.#skip(/[\s;]+/y);
      if (this.#at >= script.length) return undefined;
      const why = this.#command();
      if (why !== undefined) return why;
    }
  }

  #peek(): string {
    return this.#script[this.#at] ?? '';
  }

  /** Consumes a match of the sticky pattern here; returns it, or an empty string. */
  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#script) ?? [];
    this.#at += found.length;
    return found;
  }

  #notUnderstood(): string {
    return `its script is not understood at "${this.#script.slice(this.#at, this.#at + 10)}"`;
  }

  #command(): string | undefined {
    const hasAddress = this.#address();
    if (hasAddress === undefined) return this.#notUnderstood();
    if (hasAddress) {
      this.#skip(/[ \t]*/y);
      if (this.#skip(/,[ \t]*/y) !== '') {
        const isCount = this.#skip(/\+\d+/y) !== ''; // all of them have it
        const isMultiple = !isCount && this.#skip(/~\d+/y) !== '';
        if (isMultiple) this.intricate = true;
        else if (!isCount && this.#address() !== true) return this.#notUnderstood();
      }
    }
    this.#skip(/[ \t]*/y);
    if (this.#skip(/!/y) !== '') this.#skip(/[ \t]*/y);
    const command = this.#peek();
    this.#at += 1;
    if (command === '#' && !hasAddress) return this.#comment();
    if (command === '{') {
      this.depth += 1;
      this.intricate = true;
      return undefined;
    }
    if (command === '}' && !hasAddress) {
      this.depth -= 1;
      return this.depth < 0 ? this.#notUnderstood() : this.#end();
    }
    if (command === 's') return this.#substitution();
    if (command === 'p' || command === 'd' || command === '=') return this.#end();
    if (command === 'q') {
      this.#skip(/[ \t]*\d*/y);
      return this.#end();
    }
    this.intricate = true;
    if (command === 'y') return this.#delimited(false) && this.#rest(false) ? this.#end() : this.#notUnderstood();
    if (command !== '' && 'DnNgGhHxPzF'.includes(command)) return this.#end();
    if (command !== '' && 'Ql'.includes(command)) {
      this.#skip(/[ \t]*\d*/y);
      return this.#end();
    }
    if (command !== '' && 'btT'.includes(command)) {
      this.#skip(/[ \t]*\w*/y);
      return this.#labelEnd();
    }
    if (command === ':' && !hasAddress)
      return this.#skip(/[ \t]*\w+/y) === '' ? this.#notUnderstood() : this.#labelEnd();
    if (command !== '' && 'aic'.includes(command)) return this.#text();
    return `the sed command ${command || 'at the end'} is not known to be harmless`;
  }

  /** True if there is one, undefined if it is not understood. */
  #address(): boolean | undefined {
    if (this.#skip(/\$/y) !== '') return true;
    if (this.#skip(/\d+/y) !== '') {
      if (this.#skip(/~\d+/y) !== '') this.intricate = true;
      return true;
    }
    const isCustom = this.#peek() === '\\';
    if (isCustom) this.#at += 1;
    else if (this.#peek() !== '/') return false;
    if (isCustom && !COMMON_DELIMITERS.test(this.#peek())) this.intricate = true;
    if (!this.#delimited(true)) return undefined;
    if (this.#skip(/[ \t]*[IM]+/y) !== '') this.intricate = true;
    return true;
  }

  #delimiter = '';

  /** Consumes a delimiter, a part and the delimiter after it. */
  #delimited(isRegex: boolean): boolean {
    const delimiter = this.#peek();
    if (!/^[\x21-\x7e ]$/.test(delimiter) || delimiter === '\\') return false;
    this.#delimiter = delimiter;
    this.#at += 1;
    return this.#rest(isRegex);
  }

  /** Consumes the rest of a part, up to the delimiter after it. */
  #rest(isRegex: boolean): boolean {
    for (; this.#at < this.#script.length; this.#at += 1) {
      const character = this.#peek();
      if (character === this.#delimiter) {
        this.#at += 1;
        return true;
      }
      if (character === '\n') return false;
      if (character === '\\') {
        this.#at += 1;
        const escaped = this.#peek();
        if (escaped === '' || escaped === 'c') return false;
        if (escaped === '\n' && isRegex) return false;
        if (escaped === '\n') this.intricate = true;
      } else if (character === '[' && isRegex) {
        const bracket = this.#bracket();
        // GNU sed ends a part at a delimiter within brackets, others do not.
        if (bracket === undefined || bracket.includes(this.#delimiter)) return false;
        this.#at += bracket.length - 1;
      }
    }
    return false;
  }

  /** A bracket expression whose end all implementations agree on. */
  #bracket(): string | undefined {
    const items = String.raw`(?:\[:[a-z]+:\]|\[(?![:.=])|\\[a-zA-Z.*+?$^()|{}\/-]|[^\]\\[\n])*`;
    const sticky = new RegExp(String.raw`\[\^?\]?${items}\]`, 'y');
    sticky.lastIndex = this.#at;
    return sticky.exec(this.#script)?.[0];
  }

  #substitution(): string | undefined {
    if (!COMMON_DELIMITERS.test(this.#peek())) this.intricate = true;
    if (!this.#delimited(true) || !this.#rest(false)) return this.#notUnderstood();
    const flags = this.#skip(/[A-Za-z0-9]*/y);
    if (!/^[gpiImM0-9]*$/.test(flags)) return 'its substitution may write or run something';
    return this.#end();
  }

  /** The end of a command: only certain characters may follow it. */
  #end(): string | undefined {
    this.#skip(/[ \t]*/y);
    return this.#at >= this.#script.length || /[;\n}#]/.test(this.#peek()) ? undefined : this.#notUnderstood();
  }

  /** The end of a label: for some implementations a comment would belong to it. */
  #labelEnd(): string | undefined {
    const problem = this.#end();
    return problem ?? (this.#peek() === '#' ? this.#notUnderstood() : undefined);
  }

  #comment(): string | undefined {
    const text = this.#skip(/[^\n]*/y);
    return text.endsWith('\\') ? this.#notUnderstood() : undefined;
  }

  /**
   * The text of `a`, `i` and `c`: to the end of the line, and further if that ends with one backslash.
   * Implementations differ on two backslashes there and on one that begins a line.
   */
  #text(): string | undefined {
    this.#skip(/[ \t]*/y);
    this.#skip(/\\\n?/y);
    const text = this.#skip(/(?:[^\n\\]|\\[^\n\\]|\\\\(?!\n|$)|\\\n)*/y);
    const isWhole = this.#at >= this.#script.length || this.#peek() === '\n';
    const isClear = text.trim() !== '' && !text.endsWith('\\\n') && !/(?:^|\n)[ \t]*\\|\\\\\n/.test(text);
    return isWhole && isClear ? undefined : this.#notUnderstood();
  }
}
