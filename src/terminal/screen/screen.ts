import { type Component, Container, type Terminal } from '@earendil-works/pi-tui';
import { History } from './history.js';
import { InlineScreen } from './inline-screen.js';

/** From top to bottom: what was said and done, what is going on, a question or the editor, the status line. */
export class Screen {
  readonly tui: InlineScreen;
  readonly history = new History();
  readonly #live = new Container();
  readonly #input = new Container();
  readonly #below = new Container();
  #editor: Component | undefined;
  #dialog: Component | undefined;
  #isOn = false;

  constructor(terminal: Terminal) {
    this.tui = new InlineScreen(terminal);
    for (const part of [this.history, this.#live, this.#input, this.#below]) this.tui.addChild(part);
    this.tui.onPainted = (above) => this.history.scrolled(above);
    this.tui.onResized = (line) => this.history.positionOf(line);
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.tui.start();
    this.tui.renderNow(); // before anything else is loaded
  }

  /** Gives the terminal back as it was. May be called at any time, and more than once. */
  stop(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.tui.stop();
  }

  /** Gives the terminal to a program that takes the whole of it, as editors do. */
  lend(): void {
    if (this.#isOn) this.tui.erase();
    this.stop();
  }

  /** Takes the terminal again after another program had it. */
  goOn(): void {
    this.tui.beginBelow();
    this.start();
  }

  draw(): void {
    this.tui.requestRender();
  }

  /** Forgets what was drawn, for a change that reaches everything, such as another theme. */
  drawAnew(): void {
    this.tui.invalidate();
    this.tui.requestRender(true);
  }

  /** Prints the history again from this view on, where that has scrolled off. */
  printAgainFrom(view: Component): void {
    const line = this.history.lineOf(view);
    this.history.printsAgainFrom(line);
    this.tui.printAgainFrom(line);
  }

  /** Views that stand between the history and the editor for as long as they are wanted. */
  addLive(view: Component): () => void {
    this.#live.addChild(view);
    this.draw();
    return () => {
      this.#live.removeChild(view);
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

  /** Stands in the place of the editor, and gets the keys; undefined: the editor does. */
  set dialog(dialog: Component | undefined) {
    this.#dialog = dialog;
    this.#arrange();
  }

  #arrange(): void {
    const front = this.#dialog ?? this.#editor;
    this.#input.clear();
    if (front) this.#input.addChild(front);
    this.tui.setFocus(front ?? null);
    this.draw();
  }
}
