/**
 * The arguments of one call as they arrive, on their way to a strict parser. Detects when they are complete, and
 * repairs what is unambiguous: line breaks and other control characters inside a string, a trailing comma, an object
 * that was encoded twice, and `null` for no arguments. Everything else passes unchanged, for the parser to refuse.
 */
export class ArgumentText {
  #received = '';
  /** Text after the end of the value. */
  #surplus = '';
  #state: 'before' | 'inside' | 'after' = 'before';
  #depth = 0;
  #inString = false;
  #afterBackslash = false;
  /** A comma and the space after it, held back until it is clear whether anything follows. */
  #comma = '';
  /** Not an object, so nothing is returned until the end is known. */
  #isHeld = false;

  /** Takes the next characters and returns those that can be passed on. Scans each character once. */
  push(text: string): string {
    this.#received += text;
    let out = '';
    for (const char of text) out += this.#take(char);
    return this.#isHeld ? '' : out;
  }

  /** Returns the rest, at the end of the input. */
  finish(): string {
    if (this.#isHeld) return unwrapped(this.#received);
    const rest = this.#comma + this.#surplus; // with surplus text it is not JSON, and the parser must see and refuse it
    this.#comma = '';
    this.#surplus = '';
    return rest;
  }

  /** The text as it arrived. */
  get received(): string {
    return this.#received;
  }

  /** Whether there are no arguments, which some servers send as `null` or an empty string. */
  get isEmpty(): boolean {
    if (this.#state === 'before') return true;
    // Only short texts are tested: testing a long one after every piece would copy all of it each time.
    return this.#isHeld && this.#received.length < 100 && /^\s*(null|"")\s*$/.test(this.#received);
  }

  /** Whether a whole value has arrived, with nothing after it. */
  get isComplete(): boolean {
    return this.#state === 'after' && this.#surplus === '';
  }

  #take(char: string): string {
    const isSpace = char === ' ' || char === '\n' || char === '\r' || char === '\t';
    if (this.#state === 'before') {
      if (isSpace) return '';
      this.#state = 'inside';
      this.#isHeld = char !== '{';
    } else if (this.#state === 'after') {
      if (!isSpace || this.#surplus !== '') this.#surplus += char;
      return '';
    }
    if (this.#inString) return this.#takeInString(char);
    if (this.#comma !== '' && isSpace) {
      this.#comma += char;
      return '';
    }
    const isClosing = char === '}' || char === ']';
    const before = isClosing ? this.#comma.slice(1) : this.#comma;
    this.#comma = '';
    if (char === ',') {
      this.#comma = char;
      return before;
    }
    if (char === '"') this.#inString = true;
    if (char === '{' || char === '[') this.#depth += 1;
    if (isClosing) {
      this.#depth -= 1;
      if (this.#depth <= 0) this.#state = 'after';
    }
    return before + char;
  }

  #takeInString(char: string): string {
    if (this.#afterBackslash) this.#afterBackslash = false;
    else if (char === '\\') this.#afterBackslash = true;
    else if (char === '"') {
      this.#inString = false;
      if (this.#depth === 0) this.#state = 'after';
    } else if (char < ' ') return JSON.stringify(char).slice(1, -1);
    return char;
  }
}

/** The inner text if an object was encoded as a string, else the text unchanged. */
function unwrapped(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value !== 'string') return text;
  const inner = new ArgumentText();
  const repaired = inner.push(value);
  return repaired.startsWith('{') && inner.isComplete ? repaired + inner.finish() : text;
}
