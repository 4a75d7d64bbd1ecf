// The state of a session in another process, in the form in which the views of the terminal read that of their own.
import { isDeepStrictEqual } from 'node:util';
import type { AgentHappening } from '../../contract/event.js';
import type { PermissionMode } from '../../contract/permission.js';
import type { Todo } from '../../contract/todo.js';
import type { Tool } from '../../contract/tool.js';
import type { SessionFacts } from '../../host/session-facts.js';
import type { HostState } from '../../host/session-feed.js';
import type { ActiveSession } from '../screen/activity.js';
import type { StatusSession } from '../screen/status-line.js';
import type { AttachedSession } from './attached-session.js';

const modeCycle: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

export class RemoteState implements ActiveSession, StatusSession {
  readonly #id: string;
  readonly #root: string;
  #facts: SessionFacts | undefined;
  #todos: readonly Todo[] | undefined;
  #findTool: (name: string) => Tool | undefined = () => undefined;
  state: HostState;

  constructor({ id, root, state, facts }: Pick<AttachedSession, 'id' | 'root' | 'state' | 'facts'>) {
    this.#id = id;
    this.#root = root;
    this.state = state;
    this.update(facts);
  }

  update(facts: SessionFacts | undefined): void {
    if (!facts) return; // a host of an earlier version
    // The views know a new list by its identity.
    if (facts.todos.length > 0 && !isDeepStrictEqual(this.#todos, facts.todos)) this.#todos = facts.todos;
    this.#facts = facts;
  }

  /** What the tools do in a word, for the spinner. */
  async loadTools(): Promise<void> {
    const { builtInTools } = await import('../../tools/index.js');
    const tools = new Map(builtInTools().map((tool) => [tool.name, tool]));
    this.#findTool = (name) => tools.get(name);
  }

  /** A prompt begins. */
  get startEvent(): AgentHappening {
    const { mode, model = '' } = this;
    return { type: 'session_start', sessionId: this.#id, cwd: this.#root, model, mode, tools: [] };
  }

  get isBusy(): boolean {
    return this.state === 'running' || this.state === 'requires_action';
  }

  get mode(): PermissionMode {
    return this.#facts?.mode ?? 'default';
  }

  get nextMode(): PermissionMode {
    return modeCycle[(modeCycle.indexOf(this.mode) + 1) % modeCycle.length] ?? 'default';
  }

  get model(): string | undefined {
    return this.#facts?.model;
  }

  get costUsd(): number | null {
    return this.#facts?.costUsd ?? null;
  }

  get agent() {
    return {
      contextUsage: () => ({ total: this.#facts?.contextTokens ?? 0, window: this.#facts?.contextWindow ?? 0 }),
    };
  }

  get engine() {
    return {
      session: {
        id: this.#id,
        root: this.#root,
        cwd: this.#root,
        mode: this.mode,
        todos: this.#todos,
        tools: { find: this.#findTool },
        canMoveToBackground: false,
        sandbox: undefined, // not known here
        foundWalls: undefined,
        env: {},
      },
    };
  }
}
