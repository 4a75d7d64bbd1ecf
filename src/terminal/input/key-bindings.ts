// Key bindings: the defaults, and the user's own.
import { KeybindingsManager, type KeyId, matchesKey, setKeybindings, TUI_KEYBINDINGS } from '@earendil-works/pi-tui';
import { type KeyAction, keyActionNames, keyActions } from '../../settings/key-actions.js';

export type { KeyAction } from '../../settings/key-actions.js';

/** What the editor does by itself; all other actions are left to the caller. */
const editorActions = {
  submit: 'tui.input.submit',
  newLine: 'tui.input.newLine',
  historyPrevious: 'tui.editor.historyPrevious',
  historyNext: 'tui.editor.historyNext',
  complete: 'tui.input.tab',
  undo: 'tui.editor.undo',
} as const satisfies Partial<Record<KeyAction, keyof typeof TUI_KEYBINDINGS>>;

export class KeyBindings {
  readonly #keys: ReadonlyMap<KeyAction, readonly string[]>;

  constructor(set: ReadonlyMap<KeyAction, { readonly value: readonly string[] }> = new Map()) {
    this.#keys = new Map(keyActionNames.map((action) => [action, set.get(action)?.value ?? keyActions[action].keys]));
  }

  keysOf(action: KeyAction): readonly string[] {
    return this.#keys.get(action) ?? [];
  }

  matches(data: string, action: KeyAction): boolean {
    return this.keysOf(action).some((key) => matchesKey(data, asKeyId(key)));
  }

  /** The action bound to a key, if it is not one of the editor's own; the first if there are several. */
  actionOf(data: string): KeyAction | undefined {
    return keyActionNames.find((action) => !(action in editorActions) && this.matches(data, action));
  }

  /** For help: `Ctrl-R`, and what it does. */
  listed(): Array<{ keys: string; about: string }> {
    return keyActionNames
      .filter((action) => this.keysOf(action).length > 0)
      .map((action) => ({ keys: this.shown(action), about: keyActions[action].about }));
  }

  shown(action: KeyAction): string {
    return this.keysOf(action).map(shownKey).join(' or ');
  }

  /** For a hint in a sentence: `ctrl+b`. */
  hint(action: KeyAction): string {
    return (this.keysOf(action)[0] ?? '').replace('escape', 'esc');
  }

  /** Keys that are bound to two actions, as messages. */
  conflicts(): string[] {
    const actions = new Map<string, KeyAction[]>();
    for (const [action, keys] of this.#keys) {
      for (const key of keys) actions.set(key, [...(actions.get(key) ?? []), action]);
    }
    return [...actions]
      .filter(([, meant]) => meant.length > 1)
      .map(([key, meant]) => `The key ${shownKey(key)} is set for ${meant.join(' and ')}; it does the first of them.`);
  }

  /** Registers the bindings with pi-tui, which has one list for all its editors and lists. */
  install(): void {
    const bindings = Object.entries(editorActions).map(([action, id]) => [
      id,
      // The keys of the table above are actions.
      this.keysOf(action as KeyAction).map(asKeyId),
    ]);
    setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, Object.fromEntries(bindings)));
  }
}

// The settings schema checks the syntax; a key that the library does not know never matches.
const asKeyId = (key: string): KeyId => key as KeyId;

function shownKey(key: string): string {
  const names: Readonly<Record<string, string>> = { escape: 'Esc', pageUp: 'Page-Up', pageDown: 'Page-Down' };
  return key
    .split(/(?<!^|\+)\+/)
    .map((part) => names[part] ?? part.charAt(0).toUpperCase() + part.slice(1))
    .join('-');
}
