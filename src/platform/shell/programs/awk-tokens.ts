// A tokenizer for awk programs. Implementations disagree on where some patterns and numbers end; a program that they
// do not all tokenize equally is refused.

export interface AwkToken {
  kind: 'newline' | 'number' | 'string' | 'name' | 'mark' | 'end';
  text: string;
  at: number;
}

/** Why a program is not understood, or not known to be harmless. */
export class AwkRefusal extends Error {}

const blank = /(?:[ \t]|\\\n)+/y;
const comment = /#[^\n]*/y;
const number = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const string = /"(?:[^"\\\n]|\\[^\n])*"/y;
const name = /[A-Za-z_]\w*/y;
const mark = /\*\*=|\*\*|\+\+|--|&&|\|\||[-+*/%^=!<>]=|!~|[-+*/%^!<>=?:,;{}()[\]$~|]/y;

// Brackets hold no slash, no bracket and no `]` of their own: for some implementations the slash would end the pattern.
const bracket = String.raw`\[\^?(?:\[:[a-z]+:\]|\\[^\]\n]|[^\]\[\\/\n])+\]`;
const pattern = new RegExp(String.raw`/(?:[^/\\[\n]|\\[^\n]|${bracket})+/`, 'y');

export class AwkLexer {
  readonly #program: string;

  constructor(program: string) {
    if (/[\r\0\f\v]/.test(program)) throw new AwkRefusal('its program holds a control character');
    this.#program = program;
  }

  #match(expression: RegExp, at: number): string | undefined {
    expression.lastIndex = at;
    return expression.exec(this.#program)?.[0];
  }

  /** The token at `from`, after blanks and comments. A slash is punctuation: see `pattern`. */
  token(from: number): AwkToken {
    let at = from;
    for (;;) {
      at += this.#match(blank, at)?.length ?? 0;
      const remark = this.#match(comment, at);
      if (remark === undefined) break;
      if (remark.endsWith('\\')) throw new AwkRefusal('a comment of its program ends with a backslash');
      at += remark.length;
    }
    if (at >= this.#program.length) return { kind: 'end', text: '', at };
    if (this.#program[at] === '\n') return { kind: 'newline', text: '\n', at };
    const digits = this.#match(number, at);
    if (digits !== undefined) {
      // Implementations differ on whether a following letter belongs to the number.
      if (/[\w.]/.test(this.#program[at + digits.length] ?? '')) throw this.notUnderstood(at);
      return { kind: 'number', text: digits, at };
    }
    const kinds = [
      ['string', string],
      ['name', name],
      ['mark', mark],
    ] as const;
    for (const [kind, expression] of kinds) {
      const text = this.#match(expression, at);
      if (text === undefined) continue;
      if (kind === 'name' && this.#program.startsWith('::', at + text.length)) throw this.notUnderstood(at);
      return { kind, text, at };
    }
    throw this.notUnderstood(at);
  }

  /** The end of the pattern that begins with the slash at `at`. */
  patternEnd(at: number): number {
    const text = this.#match(pattern, at);
    if (text === undefined) throw this.notUnderstood(at);
    return at + text.length;
  }

  /** Whether the character at `at` is `character`. */
  has(character: string, at: number): boolean {
    return this.#program[at] === character;
  }

  notUnderstood(at: number): AwkRefusal {
    return new AwkRefusal(`its program is not understood at "${this.#program.slice(at, at + 10)}"`);
  }
}
