// The sessions of this process, by id.

import type { CloseReason, OpenConversation, SessionPlace } from './hosted-conversation.js';
import { HostedSession } from './hosted-session.js';

export class SessionHost {
  readonly #open: OpenConversation;
  readonly #sessions = new Map<string, HostedSession>();
  readonly #opening = new Map<string, Promise<HostedSession>>();
  readonly #closing = new Map<string, Promise<unknown>>();

  constructor(open: OpenConversation) {
    this.#open = open;
  }

  get(id: string): HostedSession | undefined {
    return this.#sessions.get(id);
  }

  list(): HostedSession[] {
    return [...this.#sessions.values()];
  }

  /** A new session, or one that is resumed. One that is open already is given as it is; one that is being closed is opened again. */
  async open(place: SessionPlace): Promise<HostedSession> {
    const { resume } = place;
    if (resume === undefined) return this.#add(await HostedSession.open(place, this.#open));
    const known = this.#opening.get(resume) ?? (this.#closing.has(resume) ? undefined : this.#sessions.get(resume));
    if (known) return await known;
    const opening = this.#reopen(place, this.#closing.get(resume));
    this.#opening.set(resume, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(resume);
    }
  }

  /** Returns whether there was one. */
  async close(id: string, why?: CloseReason): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (!session) return false;
    const closing = session.close(why).finally(() => {
      this.#sessions.delete(id);
      this.#closing.delete(id);
    });
    this.#closing.set(id, closing);
    await closing;
    return true;
  }

  /** Waits for all, even if one fails. */
  async closeAll(): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    const ends = await Promise.allSettled([...this.#sessions.keys()].map((id) => this.close(id)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  killAll(): void {
    for (const session of this.#sessions.values()) session.killAll();
  }

  async #reopen(place: SessionPlace, closing: Promise<unknown> | undefined): Promise<HostedSession> {
    await closing?.catch(() => {}); // told to those who closed it
    return this.#add(await HostedSession.open(place, this.#open));
  }

  #add(session: HostedSession): HostedSession {
    this.#sessions.set(session.id, session);
    return session;
  }
}
