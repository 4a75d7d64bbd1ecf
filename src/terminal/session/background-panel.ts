import type { AgentHappening } from '../../contract/event.js';
import type { ChoiceDialogFacts } from '../dialogs/choice-dialog.js';
import type { DialogQueue } from '../dialogs/dialog-queue.js';
import { ScrollDialog } from '../dialogs/scroll-dialog.js';
import type { Screen } from '../screen/screen.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut } from '../views/fit.js';
import { NoticeView } from '../views/notice-view.js';
import { WorkPanel, workCounts } from '../views/work-panel.js';
import { BackgroundWork, type EndedWork, endedWords, mayChangeWork, type WorkItem } from './background-work.js';
import type { CurrentSession } from './current-session.js';

const LOOK_MS = 1_000;
const MAX_NAMED = 60; // columns of the name in a question

export interface BackgroundPanelOptions {
  screen: Screen;
  theme: Theme;
  session: CurrentSession;
  dialogs: DialogQueue;
  now(): number;
  /** Whether the spinner or the todo list is above it. */
  isWorking(): boolean;
  /** Shows a notice in the transcript. */
  show(view: NoticeView): void;
  onProblem(sentence: string): void;
  /** A command or agent in the background has ended. */
  onEnd(id: string, hasFailed: boolean): void;
  /** A key that was typed in the panel and is not one of its own. */
  onOtherKey(data: string): void;
  /** Aborts when the terminal is closed. */
  signal: AbortSignal;
}

/** A command in the background or a child agent, running or ended. */
export interface LookedAt extends Pick<WorkItem, 'id' | 'title'> {
  isRunning: boolean;
}

/** The panel of background work above the editor, with its keys and its dialog. */
export class BackgroundPanel {
  readonly #options: BackgroundPanelOptions;
  readonly #work: BackgroundWork;
  readonly #panel: WorkPanel;
  #isAsking = false;

  constructor(options: BackgroundPanelOptions) {
    const { screen, theme, session, now, isWorking, onOtherKey } = options;
    this.#options = options;
    this.#work = new BackgroundWork({
      session: () => session.orNone,
      now,
      onEnd: (ended) => this.#report(ended),
      onChange: () => screen.draw(),
    });
    this.#panel = new WorkPanel(theme, {
      items: () => this.#work.items,
      isShown: () => !screen.hasDialog,
      hasWorkAbove: isWorking,
      look: (item) => void this.look({ ...item, isRunning: true }).then(() => this.focus()),
      stop: (item) => void this.#stop(item),
      leave(data) {
        screen.focusOn(undefined);
        if (data !== undefined) onOtherKey(data);
      },
    });
    screen.addLive(this.#panel);
  }

  get items(): readonly WorkItem[] {
    return this.#work.items;
  }

  take({ type }: AgentHappening): void {
    if (mayChangeWork.has(type)) this.refresh();
  }

  /** Something may have started or ended. */
  refresh(): void {
    this.#work.refresh();
    if (this.#panel.focused && this.items.length === 0) this.#options.screen.focusOn(undefined);
  }

  /** Gives the keys to the panel. False if nothing runs. */
  focus(): boolean {
    if (this.items.length === 0) return false;
    this.#options.screen.focusOn(this.#panel);
    return true;
  }

  /** Whether everything that runs may end: asks if something does. Asked again meanwhile, it may. */
  async confirmEnd(choose: (facts: ChoiceDialogFacts) => Promise<string | undefined>): Promise<boolean> {
    this.refresh();
    const { items } = this;
    if (this.#isAsking || items.length === 0) return true;
    this.#isAsking = true;
    const [item] = items;
    const named = items.length === 1 && item ? `“${cut(cleanLine(item.title), MAX_NAMED)}”` : workCounts(items);
    const [runs, it] = items.length === 1 ? ['runs', 'it'] : ['run', 'them'];
    const facts = {
      title: `${named} still ${runs}: end ${it} and leave?`,
      items: [
        { value: 'leave', key: 'y', label: `Yes, end ${it} and leave` },
        { value: 'stay', key: 'n', label: 'No, stay here' },
      ],
      focus: 1,
      cancel: 'stay',
    };
    const chosen = await choose(facts).catch(() => 'stay'); // the terminal was closed
    this.#isAsking = false;
    return chosen === 'leave';
  }

  end(): void {
    this.#work.end();
  }

  #report(ended: EndedWork): void {
    const { theme, show, screen, onEnd } = this.#options;
    onEnd(ended.id, ended.hasFailed);
    show(new NoticeView(theme, ended.hasFailed ? 'failure' : 'info', endedWords(ended)));
    screen.draw();
  }

  async #stop({ id }: Pick<WorkItem, 'id'>): Promise<void> {
    try {
      await this.#work.stop(id);
    } catch (error) {
      this.#options.onProblem(error instanceof Error ? error.message : String(error));
    }
    this.refresh();
  }

  /** In milliseconds; undefined if that is not known. */
  ranFor(id: string): number | undefined {
    return this.#work.ranFor(id);
  }

  /** Shows what it has written or done, until the user closes or stops it. */
  async look(item: LookedAt): Promise<void> {
    const { screen, theme, session, dialogs, signal } = this.#options;
    const ofSession = session.orNone;
    let lines = await this.#work.look(item.id);
    let closeView = (): void => {};
    const timer = setInterval(async () => {
      if (session.orNone !== ofSession)
        closeView(); // its conversation was left, which has ended it
      else lines = await this.#work.look(item.id);
      screen.draw();
    }, LOOK_MS).unref();
    let stopping: Promise<void> | undefined;
    try {
      await dialogs.ask<void>((close) => {
        closeView = close;
        const stop = (): void => {
          stopping = this.#stop(item);
          close();
        };
        return new ScrollDialog(
          theme,
          {
            title: item.title,
            lines: () => lines,
            rows: () => screen.tui.terminal.rows,
            extra: item.isRunning ? { key: 'x', about: 'stop it', run: stop } : undefined,
          },
          close,
        );
      }, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      clearInterval(timer);
    }
    await stopping;
  }
}
