import type { PromptCompletion } from '../input/completion.js';
import { type KeyAction, KeyBindings } from '../input/key-bindings.js';
import { PromptEditor, type PromptEditorOptions } from '../input/prompt-editor.js';
import type { PromptHistory } from '../input/prompt-history.js';
import type { Screen } from '../screen/screen.js';
import type { Theme } from '../screen/theme.js';

export interface EditorPlaceOptions {
  history: PromptHistory;
  /** What a key means beside the editor's own: true where it was taken. */
  onAction(action: KeyAction): boolean;
  /** `shown` is the text as it stood there, with marks in the place of long pastes. */
  onSubmit(text: string, shown: string): void;
  isCommand(name: string): boolean;
  /** What a command takes. */
  argumentHint(name: string): string | undefined;
  /** What stands for a paste that is no text. */
  standIn(pasted: string): string | undefined;
}

/** The editor on the screen, and the keys. Settings, which are read after the first frame, may make it another one. */
export class EditorPlace {
  readonly #screen: Screen;
  readonly #theme: Theme;
  readonly #options: EditorPlaceOptions;
  #keys = new KeyBindings();
  #editor: PromptEditor;
  #completion: PromptCompletion | undefined;

  constructor(screen: Screen, theme: Theme, options: EditorPlaceOptions) {
    this.#screen = screen;
    this.#theme = theme;
    this.#options = options;
    this.#editor = this.#make({ vi: false });
    screen.editor = this.#editor;
  }

  get editor(): PromptEditor {
    return this.#editor;
  }

  get keys(): KeyBindings {
    return this.#keys;
  }

  set completion(completion: PromptCompletion) {
    this.#completion = completion;
    this.#editor.setAutocompleteProvider(completion);
  }

  /** What is typed already stays. */
  use(keys: KeyBindings, { vi }: { vi: boolean }): void {
    this.#keys = keys;
    keys.install();
    const text = this.#editor.getExpandedText();
    this.#editor = this.#make({ vi });
    if (text !== '') this.#editor.setText(text);
    this.#screen.editor = this.#editor;
  }

  #make({ vi }: { vi: boolean }): PromptEditor {
    const { history, onAction, onSubmit, isCommand, argumentHint, standIn } = this.#options;
    const editor = new PromptEditor(this.#screen.tui, {
      theme: editorTheme(this.#theme),
      keys: this.#keys,
      history,
      vi,
      onAction,
      isCommand,
      argumentHint,
      standIn,
      sign: (text, kind) => this.#theme.paint[kind === 'shell' || kind === 'note' ? 'warning' : 'accent'](text),
      note: (text) => this.#theme.paint.muted(text),
    });
    editor.onSubmit = (text) => onSubmit(text, editor.asTyped);
    if (this.#completion) editor.setAutocompleteProvider(this.#completion);
    return editor;
  }
}

const editorTheme = (theme: Theme): PromptEditorOptions['theme'] => ({
  borderColor: (text) => theme.paint.border(text),
  selectList: {
    selectedPrefix: (text) => theme.paint.selected(text),
    selectedText: (text) => theme.paint.selected(text),
    description: (text) => theme.paint.muted(text),
    scrollInfo: (text) => theme.paint.muted(text),
    noMatch: (text) => theme.paint.muted(text),
  },
});
