import { pausedNotice } from '../../agent/goals/goal-words.js';
import type { AgentHappening, RunResult } from '../../contract/event.js';
import type { PermissionMode } from '../../contract/permission.js';
import type { Choice } from '../contract.js';
import { FailedServers } from './failed-servers.js';
import type { OpenedSession } from './opened-session.js';
import type { PromptLoop } from './prompt-loop.js';
import { SessionSpending } from './session-spending.js';

const modeCycle: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

/** How the person is asked and told something after a run. */
export interface AskPerson {
  choose(title: string, items: readonly Choice[], cancel?: string): Promise<string | undefined>;
  tell(sentence: string): void;
}

/** The current conversation and its cost. It may be replaced by another. */
export class CurrentSession {
  #opened: OpenedSession | undefined;
  #spending = new SessionSpending();
  #mayBypass = false;
  #failedServers = new FailedServers();
  /** The prompt of /loop; set with the commands. */
  loop: PromptLoop | undefined;
  /** The mode of the last prompt, apart from plan mode: what a plan's approval returns to. */
  #resting: PermissionMode = 'default';

  /** Undefined until the first one is open. */
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

  /** Leaves the conversation that was open. Returns whether there was one. */
  async become(session: OpenedSession): Promise<boolean> {
    const before = this.#opened;
    this.loop?.stop();
    this.#opened = session;
    this.#resting = 'default';
    this.#failedServers = new FailedServers();
    this.rests();
    await before?.close();
    const { used } = session.engine.session;
    this.#spending = new SessionSpending({ before: session.spent, models: () => used.list() });
    return before !== undefined;
  }

  /** A line about MCP servers that have failed, with the events after which that is known. */
  failedServersAt({ type }: AgentHappening): string | undefined {
    if (type !== 'turn_start' && type !== 'result') return undefined;
    return this.#failedServers.news(this.#opened?.engine.servers.states() ?? []);
  }

  /** What to do after an interrupt if that has paused a goal. */
  get afterStop(): string | undefined {
    const goal = this.#opened?.agent?.goals.stored;
    return goal?.isPaused && pausedNotice(goal);
  }

  /** Returns the prompt with which the conversation goes on, if the person wants more than its budget allowed. */
  async afterRun(result: RunResult, choose: AskPerson['choose']): Promise<string | undefined> {
    const { agent } = this.opened;
    this.loop?.after(result);
    if (result.outcome !== 'budget' || !agent) return undefined;
    const { askForMore, GO_ON } = await import('./more-budget.js');
    return (await askForMore(result, agent.budget, choose)) ? GO_ON : undefined;
  }

  /** Returns an error message if the mode is not available. */
  setMode(mode: PermissionMode): string | undefined {
    const { engine, refuseMode } = this.opened;
    const problem = refuseMode(mode);
    if (problem === undefined) engine.session.mode = mode;
    return problem;
  }

  /** A prompt is sent in the present mode, so that mode was not only passed on the way to another. */
  rests(): void {
    const mode = this.#opened?.engine.session.mode;
    if (mode !== undefined && mode !== 'plan') this.#resting = mode;
  }

  /** Switches to the next mode. Returns an error message if it is not available. */
  cycleMode(): string | undefined {
    const next = this.#nextMode();
    if (next === undefined) return undefined;
    const problem = this.setMode(next);
    if (problem === undefined && next === 'plan') this.opened.engine.session.planning.returnTo(this.#resting);
    return problem;
  }

  /** The mode after the current one; undefined until a conversation is open. */
  #nextMode(): PermissionMode | undefined {
    const session = this.#opened?.engine.session;
    if (!session) return undefined;
    // If the session started in this mode, it stays available.
    if (session.mode === 'bypassPermissions') this.#mayBypass = true;
    const round: readonly PermissionMode[] = this.#mayBypass ? [...modeCycle, 'bypassPermissions'] : modeCycle;
    return round[(round.indexOf(session.mode) + 1) % round.length] ?? 'default';
  }

  async close(): Promise<void> {
    this.loop?.stop();
    await this.#opened?.close();
  }
}
