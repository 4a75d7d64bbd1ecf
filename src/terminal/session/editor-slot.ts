import type { PermissionMode } from '../../contract/permission.js';
import type { PromptCompletion } from '../input/completion.js';
import { type KeyAction, KeyBindings } from '../input/key-bindings.js';
import { PromptEditor, type PromptEditorOptions } from '../input/prompt-editor.js';
import type { PromptHistory } from '../input/prompt-history.js';
import type { TypedInput } from '../input/read-input.js';
import { KeptTextView } from '../screen/kept-text-view.js';
import { modeRoles } from '../screen/mode-roles.js';
import type { Screen } from '../screen/screen.js';
import type { Role, Theme } from '../screen/theme.js';

export interface EditorPlaceOptions {
  history: PromptHistory;
  /** The permission mode, which colours the border. */
  mode(): PermissionMode;
  /** Called for a key's action other than the editor's own: true if it was handled. */
  onAction(action: KeyAction): boolean;
  /** `shown` is the text as displayed, with markers in place of long pastes. */
  onSubmit(text: string, shown: string): void;
  isCommand(name: string): boolean;
  /** The arguments of a command. */
  argumentHint(name: string): string | undefined;
  /** The replacement for a paste that is not text. */
  standIn(pasted: string): string | undefined;
}

/** The editor on the screen, and its keys. Settings, which are read after the first frame, may replace it. */
export class EditorSlot {
  readonly #screen: Screen;
  readonly #theme: Theme;
  readonly #options: EditorPlaceOptions;
  #keys = new KeyBindings();
  #editor: PromptEditor;
  #completion: PromptCompletion | undefined;
  #isVi = false;

  constructor(screen: Screen, theme: Theme, options: EditorPlaceOptions) {
    this.#screen = screen;
    this.#theme = theme;
    this.#options = options;
    this.#editor = this.#make({ vi: false });
    screen.editor = this.#editor;
    screen.belowDialog = new KeptTextView(theme, () => this.#editor.getText());
  }

  get editor(): PromptEditor {
    return this.#editor;
  }

  get isVi(): boolean {
    return this.#isVi;
  }

  get keys(): KeyBindings {
    return this.#keys;
  }

  set completion(completion: PromptCompletion) {
    this.#completion = completion;
    this.#editor.setAutocompleteProvider(completion);
  }

  /** Keeps what is already typed. */
  use(keys: KeyBindings, { vi }: { vi: boolean }): void {
    this.#keys = keys;
    this.#isVi = vi;
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
      sign: (text, kind) => this.#theme.paint[kindRoles[kind] ?? 'accent'](text),
      border: (text, kind) => this.#theme.paint[kindRoles[kind] ?? borderOf(this.#options.mode())](text),
      note: (text, kind) => this.#theme.paint[kindRoles[kind] ?? 'muted'](text),
    });
    editor.onSubmit = (text) => onSubmit(text, editor.asTyped);
    if (this.#completion) editor.setAutocompleteProvider(this.#completion);
    return editor;
  }
}

/** Lines that do not go to the model have a colour of their own. */
const kindRoles: Readonly<Partial<Record<TypedInput['type'], Role>>> = { shell: 'warning', note: 'link' };

/** A mode that asks leaves the border as it is. */
const borderOf = (mode: PermissionMode): Role => (modeRoles[mode] === 'muted' ? 'border' : modeRoles[mode]);

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
