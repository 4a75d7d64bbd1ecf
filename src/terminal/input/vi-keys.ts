// Vi keys on an editor with other keys: normal-mode commands are translated to the editor's own keys.
import { matchesKey } from '@earendil-works/pi-tui';

/** The editor's keys, as terminals send them. */
const keys = {
  left: '\x1b[D',
  right: '\x1b[C',
  up: '\x1b[A',
  down: '\x1b[B',
  lineStart: '\x01',
  lineEnd: '\x05',
  wordLeft: '\x1bb',
  wordEnd: '\x1bf',
  deleteRight: '\x1b[3~',
  deleteLeft: '\x7f',
  deleteWordLeft: '\x17',
  deleteWordRight: '\x1bd',
  deleteToStart: '\x15',
  deleteToEnd: '\x0b',
  yank: '\x19',
  undo: '\x1f',
  jumpForward: '\x1d',
  newLine: '\n',
} as const;

const MAX_COUNT = 1_000; // a typo must not freeze the terminal

/** What the vi keys need from the editor. */
export interface ViEditor {
  lines(): readonly string[];
  cursor(): { line: number; col: number };
  /** Sends a key to the editor as if typed. */
  type(key: string): void;
}

export class ViKeys {
  readonly #editor: ViEditor;
  #mode: 'insert' | 'normal' = 'insert';
  #count = '';
  #pending = '';

  constructor(editor: ViEditor) {
    this.#editor = editor;
  }

  get mode(): 'insert' | 'normal' {
    return this.#mode;
  }

  /** A new prompt starts in insert mode. */
  reset(): void {
    this.#mode = 'insert';
    this.#clear();
  }

  /** Handles one key; false if the editor or the caller should handle it. */
  handle(data: string): boolean {
    if (this.#mode === 'insert') {
      if (!matchesKey(data, 'escape')) return false; // a terminal may send more than one byte for it
      this.#mode = 'normal';
      if (this.#editor.cursor().col > 0) this.#editor.type(keys.left);
      return true;
    }
    if (matchesKey(data, 'escape')) {
      if (this.#pending === '' && this.#count === '') return false; // nothing to cancel: the caller handles it
      this.#clear();
      return true;
    }
    if (data.length > 2 || (data.codePointAt(0) ?? 0) < 32 || data === '\x7f') return false; // arrows, Enter, Ctrl
    this.#normal(data);
    return true;
  }

  #normal(key: string): void {
    if (this.#pending === '' && (/^[1-9]$/.test(key) || (key === '0' && this.#count !== ''))) {
      this.#count += key;
      return;
    }
    const command = this.#pending + key;
    if (/^(?:[dcfrgy]|[dc][fg])$/.test(command)) {
      this.#pending = command;
      return;
    }
    const times = Math.min(Number(this.#count || '1'), MAX_COUNT);
    this.#clear();
    this.#run(command, times);
  }

  #run(command: string, times: number): void {
    const { once = [], each = [], inserts = false } = commands[command] ?? {};
    for (const key of once) this.#editor.type(key);
    for (let time = 0; time < times; time += 1) {
      for (const key of each) this.#editor.type(key);
      if (command === 'w') this.#nextWord();
      else if (command === 'dw') this.#deleteBlanks();
      else if (command === 'dd') this.#deleteLine();
      else if (/^f./u.test(command)) for (const key of [keys.jumpForward, command.slice(1)]) this.#editor.type(key);
    }
    if (command === '^') this.#skipBlanks();
    else if (command === 'gg') this.#toLine(0);
    else if (command === 'G') this.#toLine(this.#editor.lines().length - 1);
    else if (/^r./u.test(command)) {
      for (const key of [keys.deleteRight, command.slice(1), keys.left]) this.#editor.type(key);
    }
    if (inserts) this.#mode = 'insert';
  }

  /** The editor moves to the end of a word; vi moves to the start of the next. */
  #nextWord(): void {
    this.#editor.type(keys.wordEnd);
    this.#skipBlanks();
  }

  #skipBlanks(): void {
    const { blanks, isEnd } = this.#blanks();
    for (let step = 0; step < blanks && !isEnd; step += 1) this.#editor.type(keys.right);
  }

  /** The editor keeps the whitespace after a word; vi deletes it too. */
  #deleteBlanks(): void {
    const { blanks } = this.#blanks();
    for (let step = 0; step < blanks; step += 1) this.#editor.type(keys.deleteRight);
  }

  /** How much whitespace follows the cursor, and whether the line ends after it. */
  #blanks(): { blanks: number; isEnd: boolean } {
    const { line, col } = this.#editor.cursor();
    const rest = (this.#editor.lines()[line] ?? '').slice(col);
    const blanks = rest.length - rest.trimStart().length;
    return { blanks, isEnd: blanks === rest.length };
  }

  #toLine(wanted: number): void {
    this.#editor.type(keys.lineStart);
    for (let steps = this.#editor.lines().length; steps > 0 && this.#editor.cursor().line !== wanted; steps -= 1) {
      const { line } = this.#editor.cursor();
      // By character, since a line may take several rows of the screen.
      if (line > wanted) this.#editor.type(keys.left);
      else {
        this.#editor.type(keys.lineEnd);
        this.#editor.type(keys.right);
      }
      this.#editor.type(keys.lineStart);
    }
  }

  #deleteLine(): void {
    const { line } = this.#editor.cursor();
    const count = this.#editor.lines().length;
    this.#editor.type(keys.lineEnd);
    this.#editor.type(keys.deleteToStart);
    if (count === 1) return;
    if (line < count - 1) this.#editor.type(keys.deleteRight);
    else {
      this.#editor.type(keys.deleteLeft);
      this.#editor.type(keys.lineStart);
    }
  }

  #clear(): void {
    this.#count = '';
    this.#pending = '';
  }
}

interface ViCommand {
  once?: readonly string[];
  /** Repeated by the count before the command. */
  each?: readonly string[];
  /** Switches to insert mode. */
  inserts?: true;
}

const commands: Readonly<Record<string, ViCommand>> = {
  h: { each: [keys.left] },
  l: { each: [keys.right] },
  j: { each: [keys.down] },
  k: { each: [keys.up] },
  b: { each: [keys.wordLeft] },
  e: { each: [keys.wordEnd] },
  '0': { once: [keys.lineStart] },
  '^': { once: [keys.lineStart] },
  $: { once: [keys.lineEnd] },
  x: { each: [keys.deleteRight] },
  X: { each: [keys.deleteLeft] },
  p: { each: [keys.yank] },
  u: { each: [keys.undo] },
  i: { inserts: true },
  a: { once: [keys.right], inserts: true },
  I: { once: [keys.lineStart], inserts: true },
  A: { once: [keys.lineEnd], inserts: true },
  o: { once: [keys.lineEnd, keys.newLine], inserts: true },
  O: { once: [keys.lineStart, keys.newLine, keys.up], inserts: true },
  s: { each: [keys.deleteRight], inserts: true },
  S: { once: [keys.lineEnd, keys.deleteToStart], inserts: true },
  cc: { once: [keys.lineEnd, keys.deleteToStart], inserts: true },
  D: { once: [keys.deleteToEnd] },
  d$: { once: [keys.deleteToEnd] },
  C: { once: [keys.deleteToEnd], inserts: true },
  c$: { once: [keys.deleteToEnd], inserts: true },
  d0: { once: [keys.deleteToStart] },
  c0: { once: [keys.deleteToStart], inserts: true },
  dw: { each: [keys.deleteWordRight] },
  de: { each: [keys.deleteWordRight] },
  cw: { each: [keys.deleteWordRight], inserts: true },
  ce: { each: [keys.deleteWordRight], inserts: true },
  db: { each: [keys.deleteWordLeft] },
  cb: { each: [keys.deleteWordLeft], inserts: true },
};
