// The views that clients of this server have open. One look at the database serves all of them.
import { messageOf } from '../../platform/message-of.js';
import type { FleetPrompts } from '../prompts.js';
import { Wake } from '../wake.js';
import type { SessionView, ViewSources } from './session-view.js';
import { SessionView as View } from './session-view.js';

const LOOK_MS = 1_000; // signals may be lost
const MIN_GAP_MS = 20;

export interface SessionViewsOptions extends ViewSources {
  prompts: FleetPrompts;
  onProblem(sentence: string): void;
}

interface Shared {
  view: Promise<SessionView | undefined>;
  users: number;
}

export class SessionViews {
  readonly #options: SessionViewsOptions;
  readonly #views = new Map<string, Shared>();
  readonly #open = new Map<string, SessionView>();
  readonly #wake = new Wake();
  #isLooking = false;
  #reported = '';

  constructor(options: SessionViewsOptions) {
    this.#options = options;
  }

  /** A view that is up to date; undefined if there is no such session. To be given back with `release`. */
  async take(sessionId: string): Promise<SessionView | undefined> {
    const shared = this.#views.get(sessionId) ?? { view: this.#openView(sessionId), users: 0 };
    shared.users += 1;
    this.#views.set(sessionId, shared);
    try {
      const view = await shared.view;
      if (!view) this.#views.delete(sessionId);
      return view;
    } catch (error) {
      this.#views.delete(sessionId);
      throw error;
    }
  }

  release(sessionId: string): void {
    const shared = this.#views.get(sessionId);
    if (!shared) return;
    shared.users -= 1;
    if (shared.users > 0) return;
    this.#views.delete(sessionId);
    this.#open.delete(sessionId);
  }

  /** A session has changed, or any may have. */
  changed(sessionId?: string): void {
    if (sessionId === undefined || this.#open.has(sessionId)) this.#wake.wake();
  }

  async #openView(sessionId: string): Promise<SessionView | undefined> {
    const view = await View.open(sessionId, this.#options);
    if (!view) return undefined;
    await this.#refresh([view]);
    this.#open.set(sessionId, view);
    if (!this.#isLooking) void this.#look();
    return view;
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#open.size > 0) {
      try {
        await this.#refresh([...this.#open.values()]);
        this.#reported = '';
      } catch (error) {
        if (this.#reported === '') this.#options.onProblem(messageOf(error));
        this.#reported = messageOf(error);
      }
      await this.#wake.next(LOOK_MS);
      await new Promise((resolve) => setTimeout(resolve, MIN_GAP_MS));
    }
    this.#isLooking = false;
  }

  /** The rows come first: a state that is newer than the log would say that a prompt has ended before its last words. */
  async #refresh(views: readonly SessionView[]): Promise<void> {
    const { live, list, prompts } = this.#options;
    const ids = views.map(({ sessionId }) => sessionId);
    const byId = new Map(views.map((view) => [view.sessionId, view]));
    const rows = new Map((await list.rows(ids)).map((row) => [row.sessionId, row]));
    const open = await prompts.open(ids);
    const gone = views.flatMap(({ sessionId, openPrompts }) =>
      [...openPrompts].filter((id) => !open.get(sessionId)?.has(id)).map((promptId) => ({ sessionId, promptId })),
    );
    const ended = gone.length === 0 ? [] : await prompts.ends(gone);
    for (;;) {
      const added = await live.after(new Map(views.map(({ sessionId, place }) => [sessionId, place])));
      if (added.length === 0) break;
      for (const row of added) byId.get(row.sessionId)?.apply(row);
    }
    for (const view of views) {
      const row = rows.get(view.sessionId);
      const ends = ended.filter(({ sessionId }) => sessionId === view.sessionId);
      if (row) view.settle(row, open.get(view.sessionId) ?? new Set(), ends);
      else {
        view.feed.end(); // it was removed
        this.#open.delete(view.sessionId);
        this.#views.delete(view.sessionId);
      }
    }
  }
}
