// Everything the path of a call needs from its session, passed in so that the path does not depend on sessions.
import type { Effect } from '../contract/effect.js';
import type { AgentHappening } from '../contract/event.js';
import type { Hooks } from '../contract/hook.js';
import type { AskPermission, Decide, Decision, DecisionRequest, PermissionMode, Risk } from '../contract/permission.js';
import type { Tool } from '../contract/tool.js';
import type { Approval, ToolContext } from '../contract/tool-context.js';
import type { Slots } from '../platform/slots.js';
import type { Gate } from './gate.js';
import type { RefusedCalls } from './refused-calls.js';

export interface CallEnvironment {
  /** Resolves once changes that a killed process left unfinished are rolled back, so that files can be examined. */
  ready?(): Promise<void>;
  /** Finds a tool by the name that the model uses. A call of a deferred tool activates it. */
  findTool(name: string): Tool | undefined;
  toolNames(): readonly string[];
  /** Why there is no tool of this name, if more is known than that. */
  whyAbsent?(name: string): string | undefined;
  readonly gate: Gate;
  /** The calls of the same message that the person refused; absent for a call on its own. */
  readonly refused?: RefusedCalls;
  /** How many calls may work at the same time. */
  readonly slots: Slots;
  /** Runs a call that runs commands when the process, which other sessions share, has room for it. */
  whenCommandsMayRun?<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value>;
  readonly decide: Decide;
  readonly hooks: Hooks;
  /** The rules that "always" would save. */
  suggestRules(
    request: DecisionRequest,
    decision: Decision,
    options: { risks: readonly Risk[] },
  ): Promise<readonly string[]>;
  /** Why there is no such rule, for the person. */
  whyNoRule?(
    request: DecisionRequest,
    decision: Decision,
    options: { risks: readonly Risk[] },
  ): Promise<string | undefined>;
  /** What the call puts at risk, the worst first. */
  assessRisks?(request: DecisionRequest): Promise<readonly Risk[]>;
  /** For the person who is asked: how the command of a call is confined once it is approved. */
  describeConfinement?(request: DecisionRequest): string | undefined;
  /** Saves rules that a person has agreed to. */
  remember(rules: readonly string[], scope: 'session' | 'always'): Promise<void>;
  /**
   * Calls the listener after each `remember`, since a saved rule may answer pending questions. Returns a function that
   * removes the listener.
   */
  onRemembered(listener: () => void): () => void;
  /** Sets the mode that a person chose with their answer. */
  chooseMode?(mode: PermissionMode): void;
  /** Called when a person, or a hook in their place, was asked about the call and agreed. */
  agreed?(callId: string): void;
  /** Absent if no one can answer. */
  readonly askPermission: AskPermission | undefined;
  /** `approval` is what the call may touch, and how its commands are confined, once that is decided. */
  contextFor(callId: string, signal: AbortSignal, approval?: Approval): ToolContext;
  /**
   * Announces a call whose file changes are not journaled, before it runs. Resolves with a function to call once it can
   * write no more. Undefined for a call that writes nothing, or journals its writes.
   */
  announceWriter?(call: { tool: string; callId: string; effects: readonly Effect[] }): Promise<() => void> | undefined;
  /**
   * Called once the call is recorded as started. It begins when this resolves; if it rejects, the record could not be kept
   * where another machine would find it, and the call does not run. Absent if the data folder is enough.
   */
  recorded?(): Promise<void>;
  /**
   * The result of the call is settled, so what it showed of files counts as seen. `instead` is the text that the model gets
   * in the place of the tool's own.
   */
  settled?(callId: string, instead?: string): Promise<void>;
  emit(happening: AgentHappening): void;
}
