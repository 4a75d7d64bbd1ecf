import { matchesKey } from '@earendil-works/pi-tui';
import { typedCharacter } from '../dialogs/dialog.js';
import type { DialogQueue } from '../dialogs/dialog-queue.js';
import { ScrollDialog } from '../dialogs/scroll-dialog.js';
import type { Attachments } from '../input/attachments.js';
import type { KeyAction } from '../input/key-bindings.js';
import type { Activity } from '../screen/activity.js';
import { type Screen, suspend } from '../screen/screen.js';
import type { StatusLine } from '../screen/status-line.js';
import type { Theme } from '../screen/theme.js';
import type { EventViews } from '../views/event-views.js';
import { KeysView } from '../views/keys-view.js';
import type { BackgroundPanel } from './background-panel.js';
import type { Conversation } from './conversation.js';
import type { CurrentSession } from './current-session.js';
import type { EditorSlot } from './editor-slot.js';
import type { ForegroundTask } from './foreground-task.js';

const TWICE_MS = 1_500; // pressing the same key again within this time means more
const READ_MS = 4_000; // for a hint below the editor
const EARLY_MS = 500; // after startup
const REDRAW_MS = 500; // of details: drawing them all takes long for long output
const ESCAPE = '\u001b';

export interface KeyActionsOptions {
  now(): number;
  env: Readonly<Record<string, string | undefined>>;
  root: string;
  screen: Screen;
  theme: Theme;
  place(): EditorSlot;
  dialogs: DialogQueue;
  conversation: Pick<Conversation, 'isRunning' | 'waiting' | 'takeBack' | 'interrupt'>;
  work: Pick<ForegroundTask, 'stop'>;
  session: Pick<CurrentSession, 'cycleMode'> & {
    readonly orNone: { engine: { session: { moveToBackground(): number } } } | undefined;
  };
  views: EventViews;
  activity: Activity;
  status: StatusLine;
  attachments: Pick<Attachments, 'forBytes'>;
  panel: Pick<BackgroundPanel, 'focus' | 'refresh'>;
  tell(sentence: string): void;
  /** Aborts when the terminal is closed. */
  signal: AbortSignal;
  /** Opens the rewind dialog; absent where earlier prompts can't be gone back to. */
  rewind?(): void;
  quit(): void;
}

/** The actions of keys that the editor does not handle. */
export class KeyActions {
  readonly #options: KeyActionsOptions;
  readonly #startedAt: number;
  #pressed: { action: KeyAction; at: number } | undefined;

  constructor(options: KeyActionsOptions) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  /** True if the key was handled. */
  act(action: KeyAction): boolean {
    const { screen, session, activity, quit } = this.#options;
    switch (action) {
      case 'interrupt':
        this.#interrupt();
        return true;
      case 'clear':
        this.#clear();
        return true;
      case 'quit':
        if (!this.#editor.isEmpty) return false;
        quit();
        return true;
      case 'cycleMode':
        this.#cycleMode();
        return true;
      case 'expand':
        this.#showDetails();
        return true;
      case 'background':
        if ((session.orNone?.engine.session.moveToBackground() ?? 0) === 0) return false;
        this.#options.panel.refresh();
        return true;
      case 'todos':
        activity.toggleTodos();
        return true;
      case 'redraw':
        screen.redrawAll();
        return true;
      case 'externalEditor':
        void this.#editExternally();
        return true;
      case 'pasteImage':
        void this.#pastePicture();
        return true;
      case 'suspend':
        suspend(screen);
        return true;
      default:
        return false;
    }
  }

  /** Sees each key first: Ctrl-C works even while a question is open. */
  takeAny(data: string): { consume?: boolean; data?: string } | undefined {
    const { now, dialogs, screen } = this.#options;
    // Input typed before raw mode was enabled has line feeds instead of Enter.
    if (data === '\n' && now() - this.#startedAt < EARLY_MS) return { data: '\r' };
    if (data === '\u001b\u001b' && !dialogs.current) {
      // Two Escs in one read are two key presses.
      this.#editor.handleInput('\u001b');
      this.#editor.handleInput('\u001b');
      return { consume: true };
    }
    if (matchesKey(data, 'up') && !dialogs.current && this.#takeBack()) return { consume: true };
    if (data === '?' && this.#hasEmptyPrompt()) {
      this.#showKeys();
      return { consume: true };
    }
    if (matchesKey(data, 'down') && this.#hasEmptyPrompt() && this.#options.panel.focus()) return { consume: true };
    if (!dialogs.current) return undefined;
    if (matchesKey(data, 'backspace') && !dialogs.current.takesText && !this.#editor.isEmpty) {
      this.#editor.handleInput(data); // the text that waits for the prompt is shown below the question
      screen.draw();
      return { consume: true };
    }
    if (!matchesKey(data, 'ctrl+c')) return undefined;
    // It closes the question as Esc does. The prompt, which can't be seen now, stays, and so does the program.
    this.#pressed = undefined;
    dialogs.current.handleInput(ESCAPE);
    screen.draw();
    return { consume: true };
  }

  get #editor(): EditorSlot['editor'] {
    return this.#options.place().editor;
  }

  #isTwice(action: KeyAction): boolean {
    const at = this.#options.now();
    const isTwice = this.#pressed?.action === action && at - this.#pressed.at < TWICE_MS;
    this.#pressed = isTwice ? undefined : { action, at };
    if (isTwice) this.#options.status.endHint();
    return isTwice;
  }

  #interrupt(): void {
    const { work, status, place, rewind } = this.#options;
    if (work.stop() || this.stop()) return;
    if (this.#editor.isEmpty && !rewind) return;
    if (this.#isTwice('interrupt')) {
      if (this.#editor.isEmpty) rewind?.();
      else this.#editor.setText('');
    } else {
      const then = this.#editor.isEmpty ? 'go back to an earlier prompt' : 'empty the prompt';
      status.hint(`${place().keys.shown('interrupt')} again to ${then}`, TWICE_MS);
    }
  }

  /** Stops the model, and moves queued prompts back into the editor. False if nothing runs. */
  stop(): boolean {
    const { conversation } = this.#options;
    if (!conversation.isRunning) return false;
    const waiting = conversation.takeBack();
    conversation.interrupt();
    const drafts = [...waiting.map(({ text }) => text), this.#editor.getExpandedText()].filter((text) => text !== '');
    if (waiting.length > 0) this.#editor.setText(drafts.join('\n'));
    return true;
  }

  /** Moves the queued prompts back into an empty editor. False if there are none. */
  #takeBack(): boolean {
    const { conversation, screen } = this.#options;
    if (!this.#editor.isEmpty || conversation.waiting.length === 0) return false;
    const waiting = conversation.takeBack();
    this.#editor.setText(waiting.map(({ text }) => text).join('\n'));
    screen.draw();
    return true;
  }

  /** Shows what is folded in the transcript, until it is closed. */
  #showDetails(): void {
    const { dialogs, theme, screen, views, place, signal, now } = this.#options;
    let drawn: { at: number; width: number; lines: readonly string[] } | undefined;
    const facts = {
      title: 'Details',
      isStyled: true,
      rows: () => screen.tui.terminal.rows,
      closes: (data: string) => place().keys.matches(data, 'expand'),
      lines(width: number) {
        const isFresh = drawn?.width === width && now() - drawn.at < REDRAW_MS;
        if (!drawn || !isFresh) drawn = { at: now(), width, lines: views.details(width) };
        return drawn.lines;
      },
    };
    dialogs
      .ask<void>((close) => new ScrollDialog(theme, facts, close), signal)
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
  }

  /** Shows the keys until the next one. A character means that the question mark began a prompt. */
  #showKeys(): void {
    const { screen, theme, place } = this.#options;
    const remove = screen.addBelow(
      new KeysView(theme, place().keys, (data) => {
        remove();
        screen.focusOn(undefined);
        if (data === '?' || matchesKey(data, 'escape') || matchesKey(data, 'enter')) return;
        if (typedCharacter(data) !== undefined) this.#editor.handleInput('?');
        this.#editor.handleInput(data);
      }),
    );
  }

  /** The prompt has the keys, is empty, and shows no list and no search of its own. */
  #hasEmptyPrompt(): boolean {
    const { dialogs } = this.#options;
    return !dialogs.current && this.#editor.focused && this.#editor.isEmpty && !this.#editor.isSearching;
  }

  #clear(): void {
    const { work, conversation, status, place, quit } = this.#options;
    if (this.#isTwice('clear')) {
      quit();
      return;
    }
    if (!this.#editor.isEmpty) {
      this.#editor.setText('');
    } else {
      conversation.interrupt();
      work.stop();
    }
    status.hint(`${place().keys.shown('clear')} again to leave`, TWICE_MS);
  }

  #cycleMode(): void {
    const { session, status, tell } = this.#options;
    const problem = session.cycleMode();
    status.refresh();
    if (problem !== undefined) tell(problem);
  }

  async #pastePicture(): Promise<void> {
    const { env, attachments, status, screen } = this.#options;
    const { clipboardImage } = await import('../input/clipboard.js');
    const found = await clipboardImage({ env });
    if ('bytes' in found) this.#editor.insertTextAtCursor(attachments.forBytes(found.bytes));
    else status.hint(found.problem, READ_MS);
    screen.draw();
  }

  async #editExternally(): Promise<void> {
    const { screen, tell } = this.#options;
    const outcome = await editInOwnEditor(this.#editor.getExpandedText(), this.#options);
    if ('text' in outcome) this.#editor.setText(outcome.text);
    else tell(outcome.problem);
    screen.draw();
  }
}

/** Gives the terminal to the user's editor until it is closed. */
export async function editInOwnEditor(
  text: string,
  { env, root, screen }: Pick<KeyActionsOptions, 'env' | 'root' | 'screen'>,
): Promise<{ text: string } | { problem: string }> {
  const { editExternally } = await import('../input/external-editor.js');
  return await editExternally(text, {
    env,
    cwd: root,
    pause: () => screen.lend(),
    resume: () => screen.goOn(),
  });
}
