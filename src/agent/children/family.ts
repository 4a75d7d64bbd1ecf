// The state that the root session and all its child agents share.
import { relative } from 'node:path';
import type { CallEnvironment } from '../../calls/environment.js';
import type { ChildAgents } from '../../contract/agents.js';
import type { ContextOptions } from '../../contract/context.js';
import type { AgentHappening } from '../../contract/event.js';
import type { Hooks } from '../../contract/hook.js';
import type { Model } from '../../contract/model.js';
import type { Decide, PermissionMode } from '../../contract/permission.js';
import type { AskUser } from '../../contract/question.js';
import type { ToolProfile } from '../../contract/tool-context.js';
import type { SessionWorktree } from '../../contract/worktree.js';
import { Slots } from '../../platform/slots.js';
import type { LateBudget } from '../budget/late-budget.js';
import type { SessionWriter, StoreSource } from '../components/session-writer.js';
import type { ConversationContext } from '../context/conversation-context.js';
import type { Session } from '../session.js';
import type { SessionComponent } from '../session-component.js';
import type { ToolPool } from '../tool-pool.js';
import type { WatchedLedger } from '../watched-ledger.js';
import { type PluginAgents, readAgentTypes, type WrittenTypes } from './agent-files.js';
import { holdsAgents } from './agent-places.js';
import { type AgentType, builtInTypes } from './agent-types.js';
import type { MakeEnvironment } from './child-environment.js';
import type { WorktreeSource } from './child-worktree.js';
import { slipsIn } from './granted-tools.js';
import { type AgentLimits, defaultLimits } from './limited-model.js';

const MAX_AT_ONCE = 10; // agents per depth; more wait. Slots are per depth, so that a parent that waits for its child never blocks it

/** The parts of the root session that child agents use. */
export interface FamilyEngine {
  session: Session;
  environment(emit: (happening: AgentHappening) => void): CallEnvironment;
  decideIn(mode: PermissionMode): Decide;
  refresh(emit: (happening: AgentHappening) => void): Promise<void>;
  hooks: Hooks;
  /** The components that see every call of the session and of its child agents. */
  watchers: readonly SessionComponent[];
}

/** An agent that starts others. */
export interface Parent {
  session: Session;
  /** 0 for the root. */
  depth: number;
  /** Absent for the root. */
  agentId?: string;
  environment: MakeEnvironment;
  /** Its type and those of the agents above it: each may limit which agents are started below it. */
  types?: readonly AgentType[];
  /** The model of its children, unless they name another. Default: the model of the session. */
  model?: Model;
}

export interface FamilyOptions {
  engine: FamilyEngine;
  /** Composes the session of a child agent. */
  composeChild: ComposeChild;
  /** The model of that name, else the one of the session. Rejects with `ModelFailure`. */
  model(name: string | undefined): Promise<Model>;
  /** Of the root and all its child agents. */
  budget: LateBudget;
  context: ContextOptions;
  askUser?: AskUser | undefined;
  editStyle?: 'text' | 'patch' | undefined;
  /** The tools that children are offered from the start. */
  profile?: ToolProfile | undefined;
  worktrees: WorktreeSource;
  /** Whether conversations are written to the data folder. */
  isKept: boolean;
  onStoreProblem?: ((sentence: string) => void) | undefined;
  /** The text of instruction files of the person and the project. */
  instructions?(): Promise<string | undefined>;
  /** Types that the program gives, before those of files. */
  given?: readonly AgentType[] | undefined;
  /** The type of the root itself, which limits the types that it may start. */
  mainType?: AgentType | undefined;
  /** The folders with custom agent types, by precedence; those of the project only if it is trusted. */
  folders(): readonly string[];
  /** Agent types of plugins. */
  plugins: readonly PluginAgents[];
  /** The folders of the project that are ignored because it is not trusted. */
  untrustedFolders(): readonly string[];
  /** The limits in settings. */
  limits?(): Partial<AgentLimits>;
}

/** The options of a child agent's session. */
export interface ChildOptions {
  family: Family;
  parent: Parent;
  id: string;
  type: AgentType;
  /** The model's name for its task. */
  description: string;
  /** The call that started it. */
  callId: string;
  tools: ToolPool;
  /** With the limits of the child. */
  model: Model;
  modelForChildren: Model;
  /** The files that the child has seen. */
  ledger: WatchedLedger;
  /** The system prompt. */
  system: string[];
  /** The worktree that it works in, if it has one of its own. */
  worktree?: SessionWorktree | undefined;
  /** Limits what it may change to that worktree. */
  confine?: ((decide: Decide) => Decide) | undefined;
  /** Opens the file of the conversation, and names the file of its transcript for hooks. Absent if it is not kept. */
  store?: (StoreSource & { transcript: string }) | undefined;
  /** The agents that it may start itself. */
  agentsOf(parent: Parent): OwnAgents;
}

/** The parts of a child agent's session. */
export interface ChildSession {
  session: Session;
  environment: MakeEnvironment;
  context: ConversationContext;
  components: readonly SessionComponent[];
  agents: OwnAgents;
  writer: SessionWriter | undefined;
}

export type ComposeChild = (options: ChildOptions) => ChildSession;

/** The child agents of a child agent. */
export interface OwnAgents extends ChildAgents {
  listen(emit: (happening: AgentHappening) => void): void;
  beforeEnd(signal: AbortSignal): Promise<string | undefined>;
  end(): Promise<void>;
}

export class Family {
  readonly #options: FamilyOptions;
  /** Sends an event to the listener of the root session. */
  readonly tellRoot: (happening: AgentHappening) => void;
  /** The worktrees of agents at work. */
  readonly worktrees = new Set<SessionWorktree>();
  readonly #slots: Slots[] = [];
  readonly #reported = new Set<string>();

  constructor(options: FamilyOptions, tellRoot: (happening: AgentHappening) => void) {
    this.#options = options;
    this.tellRoot = tellRoot;
  }

  get options(): FamilyOptions {
    return this.#options;
  }

  get isKept(): boolean {
    return this.#options.isKept;
  }

  async model(name: string | undefined): Promise<Model> {
    return await this.#options.model(name);
  }

  slotsAt(depth: number): Slots {
    this.#slots[depth] ??= new Slots(MAX_AT_ONCE);
    return this.#slots[depth];
  }

  /** The current custom types, then the built-in ones. */
  async types(): Promise<WrittenTypes> {
    const { given = [] } = this.#options;
    const written = await readAgentTypes(this.#options.folders(), this.#options.plugins);
    const types = [...given, ...written.types.filter(({ name }) => given.every((type) => type.name !== name))];
    const { problems } = written;
    const own = new Set(types.map(({ name }) => name));
    const known = this.#options.engine.session.tools.all.map(({ tool }) => tool.name);
    return {
      types: [...types, ...builtInTypes.filter(({ name }) => !own.has(name))],
      problems: [...problems, ...types.flatMap((type) => slipsIn(type, known))],
    };
  }

  /** Says that types of an untrusted project are not used; empty if there are none. */
  aboutUntrusted(): string {
    const { engine, untrustedFolders } = this.#options;
    const named = untrustedFolders()
      .filter(holdsAgents)
      .map((folder) => relative(engine.session.root, folder));
    return named.length === 0 ? '' : ` Those in ${named.join(', ')} are not used, because this folder is not trusted.`;
  }

  /** The problems that were not reported yet. */
  unreported(problems: readonly string[]): readonly string[] {
    const news = problems.filter((problem) => !this.#reported.has(problem));
    for (const problem of news) this.#reported.add(problem);
    return news;
  }

  limitsOf({ maxTurns }: AgentType): AgentLimits {
    const set = this.#options.limits?.() ?? {};
    const turns = Math.min(maxTurns ?? set.turns ?? defaultLimits.turns, set.turns ?? Number.POSITIVE_INFINITY);
    return { ...defaultLimits, ...set, turns };
  }
}

/** The list of custom types for the model; undefined if there are none. */
export function announcement(types: readonly AgentType[]): string | undefined {
  const own = types.filter((type) => !builtInTypes.includes(type));
  if (own.length === 0) return undefined;
  const lines = own.map(({ name, description }) => `- ${name}: ${description.replaceAll(/\s+/g, ' ')}`);
  return `Further types of child agents, by subagent_type:\n${lines.join('\n')}`;
}
