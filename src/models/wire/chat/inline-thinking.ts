const OPENING = '<think>';
const CLOSING = '</think>';

export interface SaidPart {
  kind: 'text' | 'thinking';
  text: string;
}

/** Separates thinking from text for models that write `<think>…</think>` before their answer, in pieces of any size. */
export class InlineThinking {
  #state: 'undecided' | 'thinking' | 'after thinking' | 'text' = 'undecided';
  #waiting = '';

  push(text: string): SaidPart[] {
    if (this.#state === 'text') return said('text', text);
    this.#waiting += text;
    switch (this.#state) {
      case 'undecided':
        return this.#decide();
      case 'thinking':
        return this.#think();
      case 'after thinking':
        return this.#begin();
    }
  }

  /** Returns what was held back, at the end of the input. */
  finish(): SaidPart[] {
    const rest = this.#waiting;
    this.#waiting = '';
    if (this.#state === 'after thinking') return [];
    return said(this.#state === 'thinking' ? 'thinking' : 'text', rest);
  }

  /** Only at the very start: further on, the model may be writing about the tag. */
  #decide(): SaidPart[] {
    const begun = this.#waiting.trimStart();
    if (begun.startsWith(OPENING)) {
      this.#state = 'thinking';
      this.#waiting = begun.slice(OPENING.length);
      return this.#think();
    }
    if (OPENING.startsWith(begun)) return [];
    this.#state = 'text';
    return this.finish();
  }

  #think(): SaidPart[] {
    const end = this.#waiting.indexOf(CLOSING);
    if (end < 0) {
      const keep = partialTagLength(CLOSING, this.#waiting);
      const thought = this.#waiting.slice(0, this.#waiting.length - keep);
      this.#waiting = this.#waiting.slice(thought.length);
      return said('thinking', thought);
    }
    const thought = this.#waiting.slice(0, end);
    this.#waiting = this.#waiting.slice(end + CLOSING.length);
    this.#state = 'after thinking';
    return [...said('thinking', thought), ...this.#begin()];
  }

  /** Blank lines between thinking and answer belong to neither. */
  #begin(): SaidPart[] {
    this.#waiting = this.#waiting.trimStart();
    if (this.#waiting === '') return [];
    this.#state = 'text';
    return this.finish();
  }
}

const said = (kind: SaidPart['kind'], text: string): SaidPart[] => (text === '' ? [] : [{ kind, text }]);

/** The number of characters at the end of the text that may be the start of the tag. */
function partialTagLength(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
