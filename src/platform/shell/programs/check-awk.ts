// A parser for awk that accepts only programs that compute and print. Whether a slash divides or begins a pattern
// follows from the grammar; if implementations decide otherwise, the program is refused.
import { AwkLexer, AwkRefusal, type AwkToken } from './awk-tokens.js';

const statements = new Set(
  'if else while for do break continue next nextfile exit return delete print printf'.split(' '),
);
const functions = new Set(
  'length substr index split sub gsub gensub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand strftime systime mktime strtonum asort asorti and or xor compl lshift rshift patsplit typeof isarray'.split(
    ' ',
  ),
);
// They access other files, programs or the environment, or are keywords in some implementations only.
const forbidden = new Set(
  'system getline close fflush ARGV ARGC ENVIRON SYMTAB FUNCTAB BEGINFILE ENDFILE switch case default func include load namespace eval bindtextdomain dcgettext dcngettext stopme adump extension'.split(
    ' ',
  ),
);
const assignments = new Set(['=', '+=', '-=', '*=', '/=', '%=', '^=', '**=']);
const operators = new Set([...assignments, ...'?:<>+-*/%^~'].concat('|| && == != <= >= !~ ** in'.split(' ')));
const prefixes = new Set(['!', '-', '+', '++', '--', '$']);
// Tokens that may precede a pattern; a closing bracket and `++` or `--` may not.
const beforePattern = new Set(
  '{ } ; ( [ , ! && || ~ !~ ? : == != < <= > >= print printf return else do'
    .split(' ')
    .concat('\n', '', ...assignments),
);

/** Names that a program or a command line must not set. */
export const isForbiddenName = (name: string): boolean => forbidden.has(name) || name === 'PROCINFO';

/** Why an awk program may do more than compute and print; undefined if it certainly does not. */
export function checkAwk(program: string | undefined): string | undefined {
  if (program === undefined) return 'its program is not known';
  try {
    new AwkParser(program).program();
    return undefined;
  } catch (error) {
    if (error instanceof AwkRefusal) return error.message;
    throw error;
  }
}

interface Context {
  /** Inside `print` and outside brackets, where `>` writes to a file. */
  printing: boolean;
}

const MAX_DEPTH = 200; // nested brackets and blocks, to bound the stack

class AwkParser {
  readonly #lexer: AwkLexer;
  readonly #declared: ReadonlySet<string>;
  #token: AwkToken;
  #previous = ''; // the text of the previous token
  #afterCondition = false;
  #depth = 0;

  constructor(program: string) {
    this.#lexer = new AwkLexer(program);
    this.#declared = new Set([...program.matchAll(/\bfunction[ \t]+([A-Za-z_]\w*)/g)].map(([, name = '']) => name));
    this.#token = this.#lexer.token(0);
  }

  program(): void {
    for (;;) {
      this.#skipTerminators();
      if (this.#token.kind === 'end') return;
      this.#item();
    }
  }

  #is(...texts: string[]): boolean {
    return this.#token.kind !== 'string' && texts.includes(this.#token.text) && this.#token.kind !== 'end';
  }

  #next(): AwkToken {
    const token = this.#token;
    this.#previous = token.kind === 'string' ? '"' : token.text;
    if (token.kind !== 'newline') this.#afterCondition = false;
    this.#token = this.#lexer.token(token.at + token.text.length);
    return token;
  }

  #expect(text: string): void {
    if (!this.#is(text)) throw this.#lexer.notUnderstood(this.#token.at);
    this.#next();
  }

  #skipNewlines(): void {
    while (this.#token.kind === 'newline') this.#next();
  }

  #skipTerminators(): void {
    while (this.#token.kind === 'newline' || this.#is(';')) this.#next();
  }

  #nested<Value>(parse: () => Value): Value {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new AwkRefusal('its program is nested too deeply');
    const value = parse();
    this.#depth -= 1;
    return value;
  }

  #item(): void {
    if (this.#is('function')) {
      this.#next();
      const name = this.#next();
      if (name.kind !== 'name' || functions.has(name.text) || this.#isReserved(name.text)) {
        throw this.#lexer.notUnderstood(name.at);
      }
      this.#expect('(');
      while (!this.#is(')')) {
        if (this.#token.kind !== 'name') throw this.#lexer.notUnderstood(this.#token.at);
        this.#name();
        if (this.#is(',')) {
          this.#next();
          this.#skipNewlines();
        }
      }
      this.#next();
      this.#skipNewlines();
      this.#block();
      return;
    }
    if (this.#is('BEGIN', 'END')) {
      this.#next();
      this.#block();
      return;
    }
    if (!this.#is('{')) {
      this.#expression({ printing: false });
      if (this.#is(',')) {
        this.#next();
        this.#skipNewlines();
        this.#expression({ printing: false });
      }
    }
    if (this.#is('{')) this.#block();
    else this.#endStatement();
  }

  #block(): void {
    this.#expect('{');
    this.#nested(() => {
      for (;;) {
        this.#skipTerminators();
        if (this.#is('}')) break;
        this.#statement();
      }
    });
    this.#next();
  }

  /** A statement ends with a newline, a semicolon or its block. */
  #endStatement(): void {
    if (this.#is('}') || this.#token.kind === 'end') return;
    if (this.#token.kind !== 'newline' && !this.#is(';')) throw this.#lexer.notUnderstood(this.#token.at);
    this.#next();
  }

  #statement(): void {
    this.#nested(() => {
      if (this.#is('{')) this.#block();
      else if (this.#is(';')) this.#next();
      else if (this.#token.kind === 'name' && statements.has(this.#token.text)) this.#keyword();
      else {
        this.#expression({ printing: false });
        this.#endStatement();
      }
    });
  }

  #condition(parse: () => void): void {
    this.#expect('(');
    parse();
    this.#expect(')');
    this.#afterCondition = true;
  }

  #body(): void {
    this.#skipNewlines();
    this.#statement();
  }

  #keyword(): void {
    const { text, at } = this.#next();
    switch (text) {
      case 'if':
        this.#condition(() => this.#expression({ printing: false }));
        this.#body();
        this.#else();
        return;
      case 'while':
        this.#condition(() => this.#expression({ printing: false }));
        if (this.#is(';')) this.#next();
        else this.#body();
        return;
      case 'do':
        this.#body();
        this.#skipTerminators();
        this.#expect('while');
        this.#condition(() => this.#expression({ printing: false }));
        this.#endStatement();
        return;
      case 'for':
        this.#condition(() => this.#loopHead());
        if (this.#is(';')) this.#next();
        else this.#body();
        return;
      case 'print':
      case 'printf':
        if (!this.#isAtEnd()) this.#list({ printing: true });
        break;
      case 'exit':
      case 'return':
        if (!this.#isAtEnd()) this.#expression({ printing: false });
        break;
      case 'delete':
        this.#name();
        if (this.#is('[')) this.#bracketed('[', ']');
        break;
      case 'else':
        throw this.#lexer.notUnderstood(at);
    }
    this.#endStatement();
  }

  #else(): void {
    // An `else` may follow newlines and semicolons that otherwise only end the statement.
    const [token, previous, afterCondition] = [this.#token, this.#previous, this.#afterCondition];
    this.#skipTerminators();
    if (!this.#is('else')) {
      this.#token = token;
      this.#previous = previous;
      this.#afterCondition = afterCondition;
      return;
    }
    this.#next();
    this.#body();
  }

  #loopHead(): void {
    if (!this.#is(';')) this.#expression({ printing: false });
    if (this.#is(')')) return;
    this.#expect(';');
    this.#skipNewlines();
    if (!this.#is(';')) this.#expression({ printing: false });
    this.#expect(';');
    this.#skipNewlines();
    if (!this.#is(')')) this.#expression({ printing: false });
  }

  #isAtEnd(): boolean {
    return this.#token.kind === 'newline' || this.#token.kind === 'end' || this.#is(';', '}');
  }

  #list(context: Context): void {
    this.#expression(context);
    while (this.#is(',')) {
      this.#next();
      this.#skipNewlines();
      this.#expression(context);
    }
  }

  #bracketed(open: '(' | '[', close: ')' | ']'): void {
    this.#expect(open);
    this.#nested(() => this.#list({ printing: false }));
    this.#expect(close);
  }

  /** Operands with operators or nothing between them. Precedence does not matter here. */
  #expression(context: Context): void {
    for (;;) {
      this.#operand();
      if (this.#is('++', '--')) {
        this.#next();
        if (this.#is('/', '/=')) throw this.#lexer.notUnderstood(this.#token.at);
      }
      if (this.#is('|')) throw new AwkRefusal('its program runs a command');
      if (context.printing && this.#is('>', '>=') && this.#token.text === '>') {
        throw new AwkRefusal('its program writes to a file');
      }
      if (this.#is(...operators) && !(this.#is('in') && this.#token.kind !== 'name')) {
        this.#operator();
        continue;
      }
      const { kind, text } = this.#token;
      const startsOperand =
        kind === 'number' ||
        kind === 'string' ||
        (kind === 'name' && !statements.has(text)) ||
        this.#is('(', '$', '++', '--');
      if (!startsOperand) return; // otherwise adjacent values are concatenated
    }
  }

  #operator(): void {
    const divides = this.#is('/', '/=');
    // After these the slash always divides; after a string or a pattern some implementations start a pattern.
    if (divides && !/^(?:[\w.]+|\)|\])$/.test(this.#previous)) throw this.#lexer.notUnderstood(this.#token.at);
    if (divides && this.#previous === 'length') throw this.#lexer.notUnderstood(this.#token.at);
    const { text } = this.#next();
    if (text === '&&' || text === '||') this.#skipNewlines();
  }

  #operand(): void {
    while (this.#is(...prefixes)) this.#next();
    const { kind, at } = this.#token;
    if (kind === 'number' || kind === 'string') this.#next();
    else if (kind === 'name') this.#reference();
    else if (this.#is('(')) this.#bracketed('(', ')');
    else if (this.#is('/', '/=')) {
      if (this.#afterCondition || !beforePattern.has(this.#previous)) throw this.#lexer.notUnderstood(at);
      const end = this.#lexer.patternEnd(at);
      this.#token = this.#lexer.token(end);
      this.#previous = '//';
    } else throw this.#lexer.notUnderstood(at);
  }

  #isReserved(name: string): boolean {
    return statements.has(name) || forbidden.has(name) || /^(BEGIN|END|function|in)$/.test(name);
  }

  /** A name that is neither a keyword nor forbidden. */
  #name(): AwkToken {
    const token = this.#next();
    if (forbidden.has(token.text)) throw new AwkRefusal(`its program uses ${token.text}`);
    if (token.kind !== 'name' || this.#isReserved(token.text)) throw this.#lexer.notUnderstood(token.at);
    return token;
  }

  #reference(): void {
    const { text, at } = this.#name();
    const isCall = this.#lexer.has('(', at + text.length);
    if (text === 'PROCINFO') {
      // The order of a loop over an array; the rest is about processes and files.
      this.#expect('[');
      if (this.#token.text !== '"sorted_in"') throw new AwkRefusal('its program uses PROCINFO');
      this.#next();
      this.#expect(']');
      return;
    }
    if (functions.has(text)) {
      if (this.#is('(')) this.#call();
      else if (text !== 'length') throw this.#lexer.notUnderstood(at);
      return;
    }
    if (isCall && !this.#declared.has(text)) throw new AwkRefusal(`its program calls ${text}`);
    if (isCall) this.#call();
    else if (this.#is('[')) this.#bracketed('[', ']');
  }

  #call(): void {
    this.#expect('(');
    this.#nested(() => {
      if (!this.#is(')')) this.#list({ printing: false });
    });
    this.#expect(')');
  }
}
