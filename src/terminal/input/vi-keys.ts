// The keys of vi on an editor that knows others: what is typed in normal mode becomes the editor's own keys.
import { matchesKey } from '@earendil-works/pi-tui';

/** The editor's keys, as a terminal sends them. */
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

const MAX_COUNT = 1_000; // a slip of the finger must not hold up the terminal

/** What the keys need to know and do. */
export interface ViEditor {
  lines(): readonly string[];
  cursor(): { line: number; col: number };
  /** Hands a key to the editor as if it had been typed. */
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

  /** A new prompt begins in insert mode. */
  reset(): void {
    this.#mode = 'insert';
    this.#clear();
  }

  /** Takes one key; false where it is for the editor, or for whoever shows it. */
  handle(data: string): boolean {
    if (this.#mode === 'insert') {
      if (!matchesKey(data, 'escape')) return false; // a terminal may send more than one byte for it
      this.#mode = 'normal';
      if (this.#editor.cursor().col > 0) this.#editor.type(keys.left);
      return true;
    }
    if (matchesKey(data, 'escape')) {
      if (this.#pending === '' && this.#count === '') return false; // nothing to leave: it means something to others
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

  /** The editor goes to the end of a word; vi goes to the beginning of the next. */
  #nextWord(): void {
    this.#editor.type(keys.wordEnd);
    this.#skipBlanks();
  }

  #skipBlanks(): void {
    const { blanks, isEnd } = this.#blanks();
    for (let step = 0; step < blanks && !isEnd; step += 1) this.#editor.type(keys.right);
  }

  /** The editor leaves what stands behind a word; vi takes it along. */
  #deleteBlanks(): void {
    const { blanks } = this.#blanks();
    for (let step = 0; step < blanks; step += 1) this.#editor.type(keys.deleteRight);
  }

  /** How many there are behind the cursor, and whether nothing follows them. */
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
      // By characters, since a line may take several rows of the screen.
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
  /** As often as the number before the command says. */
  each?: readonly string[];
  /** What follows is text. */
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
