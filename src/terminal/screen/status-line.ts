import type { Component } from '@earendil-works/pi-tui';
import { shownFolder } from '../../display/shown-path.js';
import { homeFolder } from '../../platform/files/paths.js';
import type { OpenedSession } from '../session/opened-session.js';
import { fitHints, HINT_SEPARATOR } from '../views/fit.js';
import { StatusLineView } from '../views/status-line-view.js';
import { gitBranch } from './git-branch.js';
import { StatusCommand } from './status-command.js';
import type { Theme } from './theme.js';

/** The session, as far as it is shown here. */
export interface StatusSession {
  readonly model: string | undefined;
  readonly agent: { contextUsage(): { readonly total: number; readonly window: number } } | undefined;
  readonly engine: {
    readonly session: Pick<
      OpenedSession['engine']['session'],
      'id' | 'root' | 'cwd' | 'mode' | 'sandbox' | 'env' | 'foundWalls'
    >;
  };
}

export interface StatusLineOptions {
  root: string;
  /** The name of the root on the screen. Default: its path. */
  folderName?: string | undefined;
  draw(): void;
  session(): StatusSession | undefined;
  /** What can be pressed now; undefined for nothing. */
  hint(): string | undefined;
  /** The key that changes the mode. */
  modeKey(): string;
}

/** Keeps the line below the editor up to date: the session's state, or a temporary hint. */
export class StatusLine {
  readonly #options: StatusLineOptions;
  readonly #line: StatusLineView;
  readonly #theme: Theme;
  #command: StatusCommand | undefined;
  #hint: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #costUsd: number | null = null;

  constructor(theme: Theme, options: StatusLineOptions) {
    this.#theme = theme;
    this.#options = options;
    this.#line = new StatusLineView(theme, {
      mode: 'default',
      directory: options.folderName ?? shownFolder(options.root, homeFolder()),
    });
  }

  get view(): Component {
    return {
      render: (width) => {
        if (this.#hint !== undefined)
          return [this.#theme.paint.warning(fitHints(this.#hint.split(HINT_SEPARATOR), width))];
        this.#line.update({ hint: this.#options.hint() });
        return this.#line.render(width);
      },
      invalidate: () => this.#line.invalidate(),
    };
  }

  /** Shows a hint for this many milliseconds. */
  hint(text: string, milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#hint = text;
    this.#timer = setTimeout(() => this.endHint(), milliseconds);
    this.#options.draw();
  }

  /** Removes the hint. */
  endHint(): void {
    clearTimeout(this.#timer);
    this.#hint = undefined;
    this.#options.draw();
  }

  /** The session may have changed. */
  refresh(costUsd: number | null = this.#costUsd): void {
    this.#costUsd = costUsd;
    const opened = this.#options.session();
    if (!opened) return;
    const { session } = opened.engine;
    const usage = opened.agent?.contextUsage();
    this.#line.update({
      model: opened.model ?? null,
      mode: session.mode,
      modeKey: this.#options.modeKey(),
      directory: this.#directory(session.cwd),
      branch: gitBranch(session.root),
      context: usage && { used: usage.total, window: usage.window },
      sandbox: session.sandbox !== undefined,
      costUsd,
    });
    this.#command?.refresh();
    this.#options.draw();
  }

  /** Shows the output of this command from now on. */
  useCommand(command: string): void {
    this.#command?.stop();
    this.#command = new StatusCommand({
      command,
      cwd: () => this.#options.session()?.engine.session.cwd ?? this.#options.root,
      env: () => this.#options.session()?.engine.session.env ?? {},
      facts: () => this.#facts(),
      show: (text) => {
        this.#line.showOutput(text);
        this.#options.draw();
      },
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#command?.stop();
  }

  /** Synchronously kills a running command, for a program that is about to exit. */
  kill(): void {
    this.#command?.kill();
  }

  #directory(cwd: string): string {
    const { root, folderName } = this.#options;
    return cwd === root && folderName !== undefined ? folderName : shownFolder(cwd, homeFolder());
  }

  #facts(): unknown {
    const opened = this.#options.session();
    if (!opened) return {};
    const { session } = opened.engine;
    const usage = opened.agent?.contextUsage();
    return {
      session_id: session.id,
      cwd: session.cwd,
      workspace: { current_dir: session.cwd, project_dir: session.root },
      model: { id: opened.model ?? null, display_name: opened.model?.slice(opened.model.lastIndexOf('/') + 1) ?? null },
      permission_mode: session.mode,
      cost: { total_cost_usd: this.#costUsd },
      ...(usage && { context_window: { used_tokens: usage.total, size: usage.window } }),
      sandbox: session.sandbox !== undefined,
      walls: session.foundWalls,
    };
  }
}
