import type { PermissionMode } from '../../contract/permission.js';
import type { OpenedSession } from './opened-session.js';
import { SessionSpending } from './session-spending.js';

const modeRound: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

/** The conversation that is open now, and what it has cost. It may become another one. */
export class CurrentSession {
  #opened: OpenedSession | undefined;
  #spending = new SessionSpending();
  #mayBypass = false;

  /** None before the first one is open. */
  get orNone(): OpenedSession | undefined {
    return this.#opened;
  }

  get opened(): OpenedSession {
    if (!this.#opened) throw new Error('There is no conversation yet.');
    return this.#opened;
  }

  get spending(): SessionSpending {
    return this.#spending;
  }

  /** Leaves the conversation that was open. Whether there was one. */
  async become(session: OpenedSession): Promise<boolean> {
    const before = this.#opened;
    this.#opened = session;
    await before?.close();
    this.#spending = new SessionSpending();
    return before !== undefined;
  }

  /** Gives a sentence where the mode can't be had. */
  setMode(mode: PermissionMode): string | undefined {
    const { engine, refuseMode } = this.opened;
    const problem = refuseMode(mode);
    if (problem === undefined) engine.session.mode = mode;
    return problem;
  }

  /** The mode after the one that holds; undefined before a conversation is open. */
  nextMode(): PermissionMode | undefined {
    const session = this.#opened?.engine.session;
    if (!session) return undefined;
    // Where it was begun without any questions, that can be had again.
    if (session.mode === 'bypassPermissions') this.#mayBypass = true;
    const round: readonly PermissionMode[] = this.#mayBypass ? [...modeRound, 'bypassPermissions'] : modeRound;
    return round[(round.indexOf(session.mode) + 1) % round.length] ?? 'default';
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }
}
