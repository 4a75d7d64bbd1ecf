import type { AgentHappening } from '../../contract/event.js';
import type { Choice } from '../contract.js';
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
      look: (item) => void this.#look(item),
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
  async confirmEnd(
    choose: (title: string, items: readonly Choice[], cancel: string) => Promise<string | undefined>,
  ): Promise<boolean> {
    this.refresh();
    const { items } = this;
    if (this.#isAsking || items.length === 0) return true;
    this.#isAsking = true;
    const [item] = items;
    const named = items.length === 1 && item ? `“${cut(cleanLine(item.title), MAX_NAMED)}”` : workCounts(items);
    const title = `${named} still ${items.length === 1 ? 'runs: end it' : 'run: end them'} and leave?`;
    const answers = [
      { value: 'stay', label: 'No, stay here' },
      { value: 'leave', label: 'Yes, leave' },
    ];
    const chosen = await choose(title, answers, 'stay').catch(() => 'stay'); // the terminal was closed
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

  async #stop({ id }: WorkItem): Promise<void> {
    try {
      await this.#work.stop(id);
    } catch (error) {
      this.#options.onProblem(error instanceof Error ? error.message : String(error));
    }
    this.refresh();
  }

  async #look(item: WorkItem): Promise<void> {
    const { screen, theme, dialogs, signal } = this.#options;
    let lines = await this.#work.look(item.id);
    const timer = setInterval(async () => {
      lines = await this.#work.look(item.id);
      screen.draw();
    }, LOOK_MS).unref();
    try {
      await dialogs.ask<void>((close) => {
        const stop = (): void => {
          void this.#stop(item);
          close();
        };
        return new ScrollDialog(
          theme,
          {
            title: item.title,
            lines: () => lines,
            rows: () => screen.tui.terminal.rows,
            extra: { key: 'x', about: 'stop it', run: stop },
          },
          close,
        );
      }, signal);
      this.focus();
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      clearInterval(timer);
    }
  }
}
