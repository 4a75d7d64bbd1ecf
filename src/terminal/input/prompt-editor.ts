// The prompt editor: pi-tui's editor with history, history search, configurable keys, and vi keys if enabled.
import {
  Editor,
  type EditorOptions,
  type EditorTheme,
  matchesKey,
  parseKey,
  type TUI,
  truncateToWidth,
  visibleWidth,
} from '@earendil-works/pi-tui';
import { visible } from '../../platform/text/visible.js';
import type { KeyAction, KeyBindings } from './key-bindings.js';
import type { PromptHistory } from './prompt-history.js';
import { inputKind, type TypedInput } from './read-input.js';
import { ViKeys } from './vi-keys.js';

export interface PromptEditorOptions extends EditorOptions {
  theme: EditorTheme;
  keys: KeyBindings;
  history: Pick<PromptHistory, 'prompts' | 'add' | 'search'>;
  /** Enables vi keys. */
  vi?: boolean;
  /**
   * Called for a key's action other than the editor's own. Returns true if it was handled; otherwise the editor handles
   * the key. Not called while a completion list or the search is open and uses the key.
   */
  onAction?(action: KeyAction): boolean;
  /** The arguments of a command; undefined if it takes none, or does not exist. */
  argumentHint?(name: string): string | undefined;
  /** Whether a word is the full name of a command: then Enter runs it, regardless of the completion list. */
  isCommand?(name: string): boolean;
  /** The replacement for pasted text, such as a marker for an image's path; undefined to paste it as text. */
  standIn?(pasted: string): string | undefined;
  /** Styles the prompt sign. Default: unstyled. */
  sign?(text: string, kind: TypedInput['type']): string;
  /** Styles the border. Default: that of the theme. */
  border?(text: string, kind: TypedInput['type']): string;
  /** Styles the text in the border: the kind of line, the search. Default: unstyled. */
  note?(text: string, kind: TypedInput['type']): string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a terminal marks a paste
const WHOLE_PASTE = /^\x1b\[200~([\s\S]*)\x1b\[201~$/;

const SIGN = '❯ ';
const MAX_LISTED = 8;

/** What kind of line the first character makes it. */
const kindNotes: Readonly<Partial<Record<TypedInput['type'], string>>> = {
  shell: 'shell · runs at once, without the model',
  note: 'note · saved for later conversations, and goes with your next prompt',
};

interface Search {
  query: string;
  found: readonly string[];
  at: number;
  draft: string;
}

export class PromptEditor extends Editor {
  readonly #options: PromptEditorOptions;
  readonly #vi: ViKeys | undefined;
  #search: Search | undefined;
  #isPasting = false;
  #asTyped = '';
  #isScrolled = false;

  constructor(tui: TUI, options: PromptEditorOptions) {
    super(tui, options.theme, { paddingX: SIGN.length, autocompleteMaxVisible: MAX_LISTED, ...options });
    this.#options = options;
    // Completions come ranked: without this, the editor selects the first one that begins as typed, further down.
    Object.assign(this, { getBestAutocompleteMatchIndex: () => 0 });
    const { border } = options;
    if (border) this.borderColor = (text) => border(text, this.kind);
    for (const prompt of options.history.prompts.slice(0, 100).toReversed()) this.addToHistory(prompt);
    if (options.vi) {
      this.#vi = new ViKeys({
        lines: () => this.getLines(),
        cursor: () => this.getCursor(),
        type: (key) => super.handleInput(key),
      });
    }
  }

  /** Whether the text is a prompt, a command, a shell line, or a note. */
  get kind(): ReturnType<typeof inputKind> {
    return inputKind(this.getText());
  }

  get isEmpty(): boolean {
    return this.getText() === '';
  }

  /** The text last sent as it was displayed, with markers in place of long pastes. */
  get asTyped(): string {
    return this.#asTyped;
  }

  get isSearching(): boolean {
    return this.#search !== undefined;
  }

  /** Adds a sent prompt to the history, for this and later sessions. */
  remember(prompt: string): void {
    this.addToHistory(prompt);
    this.#options.history.add(prompt);
    this.#vi?.reset();
  }

  override handleInput(data: string): void {
    if (this.#takePaste(data)) return;
    if (this.#options.keys.matches(data, 'submit')) this.#asTyped = this.getText().trim();
    const wasListed = this.isShowingAutocomplete();
    const before = this.getText();
    if (this.#search) this.#handleSearch(this.#search, data);
    else if (!this.#isForList(data) && !this.#isTaken(data)) super.handleInput(data);
    else this.tui.requestRender();
    if (wasListed && this.getText() !== before) this.#closeStaleList(data);
  }

  /** The editor keeps the list as it is when a key deletes or puts back more than a character. */
  #closeStaleList(data: string): void {
    const isUpdated = printable(data) !== undefined || matchesKey(data, 'backspace') || matchesKey(data, 'delete');
    if (!isUpdated && this.isShowingAutocomplete()) super.handleInput('\x1b');
  }

  /** Passes keys to an open completion list. */
  #isForList(data: string): boolean {
    if (!this.isShowingAutocomplete()) return false;
    const { keys } = this.#options;
    const isSent = keys.matches(data, 'submit');
    if (isSent && this.#isWholeCommand()) {
      super.handleInput('\x1b'); // the list may be one key press old
      return false;
    }
    if (!isSent && !matchesKey(data, 'escape')) return false;
    super.handleInput(data);
    return true;
  }

  #isTaken(data: string): boolean {
    const { keys, onAction } = this.#options;
    if (keys.matches(data, 'historySearch')) {
      this.#beginSearch();
      return true;
    }
    if (this.#vi?.handle(data)) return true;
    const action = keys.actionOf(data);
    return action !== undefined && onAction?.(action) === true;
  }

  /** A paste is handled as a whole, even if its text looks like keys. */
  #takePaste(data: string): boolean {
    const begins = data.lastIndexOf('\x1b[200~');
    if (begins < 0 && !this.#isPasting) return false;
    const ends = data.lastIndexOf('\x1b[201~');
    this.#isPasting = ends < 0 || ends < begins;
    if (this.#search) this.#endSearch(this.#search.found[this.#search.at] ?? this.#search.draft);
    const pasted = WHOLE_PASTE.exec(data)?.[1];
    const standIn = pasted === undefined ? undefined : this.#options.standIn?.(pasted);
    if (standIn !== undefined) this.insertTextAtCursor(standIn);
    // Some terminals send an empty paste for an image.
    else if (pasted === '') this.#options.onAction?.('pasteImage');
    else if (pasted !== undefined && /^[^\r\n]*[\r\n]+$/.test(pasted)) this.#takeLine(pasted.trimEnd());
    else super.handleInput(data);
    return true;
  }

  /**
   * A pasted line with its line break. A command without arguments runs, as if typed; anything else waits for Enter,
   * since the text may come from an untrusted source.
   */
  #takeLine(line: string): void {
    const wasEmpty = this.isEmpty;
    super.handleInput(`\x1b[200~${line}\x1b[201~`);
    const [, name] = /^\/(\S+)$/.exec(line.trim()) ?? [];
    if (!wasEmpty || name === undefined || !this.#options.isCommand?.(name)) return;
    this.#asTyped = `/${name}`;
    this.setText('');
    this.onSubmit?.(`/${name}`);
  }

  #isWholeCommand(): boolean {
    const [, name, rest] = /^\/(\S+)(\s[\s\S]*)?$/.exec(this.getText().trim()) ?? [];
    return name !== undefined && (rest !== undefined || this.#options.isCommand?.(name) === true);
  }

  #beginSearch(): void {
    if (this.isShowingAutocomplete()) super.handleInput('\x1b');
    const { history } = this.#options;
    this.#search = { query: '', found: history.search(''), at: -1, draft: this.getExpandedText() };
    this.tui.requestRender();
  }

  #handleSearch(search: Search, data: string): void {
    const { keys } = this.#options;
    if (keys.matches(data, 'historySearch') || matchesKey(data, 'up')) this.#show({ ...search, at: search.at + 1 });
    else if (matchesKey(data, 'down')) this.#show({ ...search, at: Math.max(search.at - 1, 0) });
    else if (keys.matches(data, 'clear')) this.#endSearch(search.draft);
    else if (matchesKey(data, 'backspace')) this.#look(search, search.query.slice(0, -1));
    else if (printable(data) !== undefined) this.#look(search, search.query + printable(data));
    else {
      // Keeps the match; Enter sends it, and any other key continues editing it.
      this.#endSearch(search.found[search.at] ?? search.draft);
      if (!matchesKey(data, 'escape') && !keys.matches(data, 'complete')) this.handleInput(data);
    }
    this.tui.requestRender();
  }

  #look(search: Search, query: string): void {
    this.#show({ ...search, query, found: this.#options.history.search(query), at: 0 });
  }

  #show(search: Search): void {
    const at = Math.min(search.at, search.found.length - 1);
    this.#search = { ...search, at };
    const found = search.found[at];
    if (found !== undefined && found !== this.getText()) this.setText(found);
  }

  #endSearch(text: string): void {
    this.#search = undefined;
    if (text !== this.getExpandedText()) this.setText(text);
  }

  override render(width: number): string[] {
    const lines = super.render(width);
    const first = lines[1];
    if (this.#isScrolled || first === undefined || !first.startsWith('  ')) return lines;
    return lines.with(1, `${this.#options.sign?.(SIGN, this.kind) ?? SIGN}${first.slice(SIGN.length)}`);
  }

  protected override renderTopBorder(width: number, hiddenLineCount: number): string {
    this.#isScrolled = hiddenLineCount > 0;
    return super.renderTopBorder(width, hiddenLineCount);
  }

  protected override renderBottomBorder(width: number, hiddenLineCount: number): string {
    const note = this.#note();
    if (note === undefined) return super.renderBottomBorder(width, hiddenLineCount);
    const text = truncateToWidth(` ${note} `, Math.max(width - 2, 1), '…');
    const drawn = this.#options.note?.(text, this.kind) ?? text;
    const line = '─'.repeat(Math.max(width - visibleWidth(text) - 1, 0));
    return `${this.borderColor('─')}${drawn}${this.borderColor(line)}`;
  }

  #note(): string | undefined {
    if (this.#search) {
      const { query, found, at } = this.#search;
      const count = found.length === 0 ? 'nothing found' : `${Math.max(at, 0) + 1} of ${found.length}`;
      return `search: ${visible(query)}▏ ${count}`;
    }
    if (this.#vi?.mode === 'normal') return 'NORMAL';
    const { kind } = this;
    return kind === 'command' ? this.#commandNote() : kindNotes[kind];
  }

  /** The hint after a completely typed command. */
  #commandNote(): string | undefined {
    const [, name = ''] = /^\s*\/(\S+)/.exec(this.getText()) ?? [];
    const hint = this.#options.argumentHint?.(name);
    return hint === undefined ? undefined : `/${name} ${hint}`;
  }
}

/** The character that a key types; undefined for all other keys. */
function printable(data: string): string | undefined {
  if (parseKey(data) === 'space') return ' ';
  if (data.startsWith('\x1b')) return undefined;
  return (data.codePointAt(0) ?? 0) >= 32 && data !== '\x7f' ? data : undefined;
}
