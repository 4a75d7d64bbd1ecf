// Everything that the page knows, put together once.

import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Link } from '../connection/link.js';
import { Outbox } from '../connection/outbox.js';
import { type Me, mayDo, type RoleName } from '../connection/wire.js';
import { Drafts } from './drafts.js';
import { startNotifications } from './notify.js';
import { Preferences } from './preferences.js';
import { Router } from './route.js';
import { SessionList } from './session-list.js';
import { SessionStore } from './session-store.js';

export class WebApp {
  /** `undefined`: not known yet; `null`: no one is signed in. */
  readonly me: Signal<Me | null | undefined> = signal(undefined);
  readonly link = new Link();
  readonly router = new Router();
  /** The call in the address, which the conversation shows. */
  readonly routeCall: ReadonlySignal<string | undefined> = computed(() => {
    const route = this.router.route.value;
    return route.page === 'session' ? route.call : undefined;
  });
  readonly preferences = new Preferences();
  readonly list = new SessionList(this.link);
  readonly outbox: Outbox = new Outbox(this.link, (sessionId) => void this.#accepted(sessionId));
  /** The session that is shown. */
  readonly session: Signal<SessionStore | undefined> = signal(undefined);
  /** Said once by screen readers, and shown for some seconds. */
  readonly message: Signal<string> = signal('');
  readonly isHelpOpen: Signal<boolean> = signal(false);
  /** Texts that were typed and not sent, by session. */
  readonly drafts = new Drafts();

  constructor() {
    startNotifications(this.list, this.preferences, this.router);
    effect(() => this.#follow());
    effect(() => this.#followWhatBegan());
  }

  signedIn(me: Me): void {
    this.me.value = me;
    this.message.value = '';
    this.link.start();
  }

  may(role: RoleName): boolean {
    return mayDo(this.me.value ?? undefined, role);
  }

  /** What went wrong, for the person. */
  tell(error: unknown): void {
    this.message.value = error instanceof Error ? error.message : String(error);
  }

  /** A session that was only read, or did not exist, is followed once it has a prompt. */
  async #accepted(sessionId: string): Promise<void> {
    const store = this.session.peek();
    if (store?.id === sessionId && (store.isReadOnly.peek() || store.problem.peek() !== undefined))
      await store.attach();
  }

  /** The store of the session in the address. It waits for the list, which says how the session can be opened. */
  #follow(): void {
    const route = this.router.route.value;
    const id = route.page === 'session' ? route.id : undefined;
    const current = this.session.peek();
    if (current?.id === id && current !== undefined) return;
    if (current) {
      current.close();
      this.session.value = undefined;
    }
    if (id === undefined || !this.list.isLoaded.value) return;
    const row = this.list.rows.peek().get(id);
    const store = new SessionStore(this.link, id, this.outbox);
    this.session.value = store;
    const isAtRest = row?.state === 'ended' || row?.state === 'interrupted';
    // To attach to a session that is at rest may continue its work. One that is not in the list is an old one that is not
    // loaded yet, or so new that the list does not have it yet.
    const isOld = this.list.more.peek() !== undefined && !this.outbox.has(id);
    store.open({ canAttach: row === undefined ? !isOld : row.canAttach && !isAtRest });
  }

  /** A session that was at rest when it was opened here goes on elsewhere. */
  #followWhatBegan(): void {
    const store = this.session.value;
    const row = store && this.list.rows.value.get(store.id);
    const isAtWork = row?.state === 'running' || row?.state === 'requires_action';
    if (isAtWork && row.canAttach && store?.isReadOnly.peek()) void store.attach();
  }
}

export const AppContext = createContext<WebApp | undefined>(undefined);

export function useApp(): WebApp {
  const app = useContext(AppContext);
  if (!app) throw new Error('A view was drawn outside of the page.');
  return app;
}
