import { type Component, Container, type Terminal } from '@earendil-works/pi-tui';
import { History } from './history.js';
import { InlineScreen } from './inline-screen.js';
import type { WindowTitle } from './window-title.js';

const YOUNG_MS = 2000; // since the start: replies to its queries may be on their way
const REPLY_MS = 200; // for a terminal far away
const IDLE_MS = 20; // for the release of a key
const DRAIN_MS = 1000; // at most, while keys are pressed

/** From top to bottom: the transcript, the current activity, a dialog or the editor, the status line. */
export class Screen {
  readonly tui: InlineScreen;
  readonly history = new History();
  readonly #live = new Container();
  readonly #input = new Container();
  readonly #below = new Container();
  #editor: Component | undefined;
  #dialog: Component | undefined;
  #belowDialog: Component | undefined;
  #isOn = false;
  #startedAt = 0;
  /** The title of the window, if it is shown. */
  title: WindowTitle | undefined;

  constructor(terminal: Terminal) {
    this.tui = new InlineScreen(terminal);
    for (const part of [this.history, this.#live, this.#input, this.#below]) this.tui.addChild(part);
    this.tui.onPainted = (above) => this.history.scrolled(above);
    this.tui.lastingLines = () => this.history.lineCount;
    this.tui.onResized = (line) => this.history.positionOf(line);
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#startedAt = performance.now();
    this.tui.start();
    this.tui.renderNow(); // before anything else is loaded
    this.title?.start();
  }

  /**
   * Leaves the transcript alone on the screen, reads the replies of the terminal that are still on their way, which the
   * shell would print, and restores it.
   */
  async end(): Promise<void> {
    if (this.#isOn) {
      for (const part of [this.#live, this.#input, this.#below]) part.clear();
      this.tui.finish();
    }
    const isYoung = performance.now() - this.#startedAt < YOUNG_MS;
    if (this.#isOn) await this.tui.terminal.drainInput(DRAIN_MS, isYoung ? REPLY_MS : IDLE_MS);
    this.stop();
  }

  /** Restores the terminal. May be called at any time, and repeatedly. */
  stop(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.title?.stop();
    this.tui.stop();
  }

  /** Releases the terminal to a full-screen program such as an editor. */
  lend(): void {
    if (this.#isOn) this.tui.erase();
    this.stop();
  }

  /** Takes the terminal back. */
  goOn(): void {
    this.tui.beginBelow();
    this.start();
  }

  draw(): void {
    this.tui.requestRender();
  }

  /** Redraws everything, for example after a change of theme. */
  redrawAll(): void {
    this.tui.invalidate();
    this.tui.requestRender(true);
  }

  /** Adds a view between the history and the editor; the returned function removes it. */
  addLive(view: Component): () => void {
    this.#live.addChild(view);
    this.draw();
    return () => {
      this.#live.removeChild(view);
      this.draw();
    };
  }

  /** Adds a view below the editor, and gives it the keys; the returned function removes it. */
  addBelow(view: Component): () => void {
    this.#below.addChild(view);
    this.focusOn(view);
    return () => {
      this.#below.removeChild(view);
      this.draw();
    };
  }

  set statusLine(view: Component) {
    this.#below.clear();
    this.#below.addChild(view);
    this.draw();
  }

  set editor(editor: Component) {
    this.#editor = editor;
    this.#arrange();
  }

  get hasDialog(): boolean {
    return this.#dialog !== undefined;
  }

  /** Replaces the editor and receives the keys; undefined brings the editor back. */
  set dialog(dialog: Component | undefined) {
    this.#dialog = dialog;
    this.#arrange();
  }

  /** Shown below a dialog. */
  set belowDialog(view: Component) {
    this.#belowDialog = view;
    this.#arrange();
  }

  /** The rows of the window that a dialog, its hint and the lines below it share. */
  get dialogRows(): number {
    const { columns, rows } = this.tui.terminal;
    return rows - (this.#belowDialog?.render(columns).length ?? 0);
  }

  /** Gives the keys to a view that is on the screen; undefined gives them back to the dialog or the editor. */
  focusOn(view: Component | undefined): void {
    this.tui.setFocus(view ?? this.#dialog ?? this.#editor ?? null);
    this.draw();
  }

  #arrange(): void {
    const front = this.#dialog ?? this.#editor;
    this.#input.clear();
    if (front) this.#input.addChild(front);
    if (this.#dialog && this.#belowDialog) this.#input.addChild(this.#belowDialog);
    this.tui.setFocus(front ?? null);
    this.draw();
  }
}

/** Stops the process as Ctrl-Z does, and restores the screen when it continues. */
export function suspend(screen: Screen): void {
  if (process.platform === 'win32') return;
  screen.stop();
  const alive = setInterval(() => {}, 60_000); // keeps the process alive while it waits for SIGCONT
  process.once('SIGCONT', () => {
    clearInterval(alive);
    screen.goOn();
  });
  process.kill(process.pid, 'SIGTSTP');
}
