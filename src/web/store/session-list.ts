// The list of all sessions: loaded once, and then changed by what the server tells.
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { SessionRow } from '../../host/session-index.js';
import type { Link } from '../connection/link.js';

const PAGE = 100;

export interface RowGroup {
  name: string;
  rows: readonly SessionRow[];
}

export class SessionList {
  readonly rows: Signal<ReadonlyMap<string, SessionRow>> = signal(new Map());
  readonly isLoaded: Signal<boolean> = signal(false);
  /** What `next` of the last page was; undefined if there are no more. */
  readonly more: Signal<string | undefined> = signal(undefined);
  readonly problem: Signal<string | undefined> = signal(undefined);
  readonly groups: ReadonlySignal<readonly RowGroup[]>;
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
    this.groups = computed(() => grouped([...this.rows.value.values()]));
    link.on('_helve/sessions/changed', ({ sessions = [], removed = [] }) => {
      this.#put(sessions as SessionRow[], removed as string[]); // the server sends them in these shapes
    });
    link.onOpen(() => void this.#load());
  }

  get(id: string): SessionRow | undefined {
    return this.rows.value.get(id);
  }

  async loadMore(): Promise<void> {
    const before = this.more.peek();
    if (before === undefined) return;
    const { sessions, next } = await this.#link.request('_helve/sessions/list', { limit: PAGE, before });
    this.#put(sessions, []);
    this.more.value = next;
  }

  async #load(): Promise<void> {
    try {
      await this.#link.request('_helve/sessions/watch', {});
      const { sessions, next } = await this.#link.request('_helve/sessions/list', { limit: PAGE });
      this.rows.value = new Map(sessions.map((row) => [row.sessionId, row]));
      this.more.value = next;
      this.problem.value = undefined;
      this.isLoaded.value = true;
    } catch (error) {
      this.problem.value = error instanceof Error ? error.message : String(error);
    }
  }

  #put(changed: readonly SessionRow[], removed: readonly string[]): void {
    const rows = new Map(this.rows.peek());
    for (const id of removed) rows.delete(id);
    for (const row of changed) rows.set(row.sessionId, row);
    this.rows.value = rows;
  }
}

/** Those that need the person first, then those at work, then the others by age. */
function grouped(rows: readonly SessionRow[]): RowGroup[] {
  const newest = (some: readonly SessionRow[]): SessionRow[] =>
    some.toSorted((one, other) => other.changedAt.localeCompare(one.changedAt));
  const [needsYou, atWork, others]: SessionRow[][] = [[], [], []];
  for (const row of rows) {
    const to = row.state === 'requires_action' ? needsYou : row.state === 'running' ? atWork : others;
    to?.push(row);
  }
  return [
    { name: 'Needs you', rows: newest(needsYou ?? []) },
    { name: 'At work', rows: newest(atWork ?? []) },
    { name: 'Earlier', rows: newest(others ?? []) },
  ].filter((group) => group.rows.length > 0);
}
