// What the path of a call needs from the session around it, handed in so that the path knows no session.
import type { Effect } from '../contract/effect.js';
import type { AgentHappening } from '../contract/event.js';
import type { Hooks } from '../contract/hook.js';
import type { AskPermission, Decide, Decision, DecisionRequest, PermissionMode } from '../contract/permission.js';
import type { Tool } from '../contract/tool.js';
import type { Approval, ToolContext } from '../contract/tool-context.js';
import type { Slots } from '../platform/slots.js';
import type { Gate } from './gate.js';

export interface CallEnvironment {
  /** Settles when the files are fit to be looked at: what a killed process left half done is put right first. */
  ready?(): Promise<void>;
  /** By the name that the model uses; a deferred tool that is called becomes active by it. */
  findTool(name: string): Tool | undefined;
  toolNames(): readonly string[];
  /** Why a name that was called finds no tool, where there is more to say than that. */
  whyAbsent?(name: string): string | undefined;
  readonly gate: Gate;
  /** How many calls may work at the same time. */
  readonly slots: Slots;
  readonly decide: Decide;
  readonly hooks: Hooks;
  /** What "always" would remember of a question. */
  suggestRules(request: DecisionRequest, decision: Decision): readonly string[];
  /** For the person who is asked: how the command of a call is confined once it is approved. */
  describeConfinement?(request: DecisionRequest): string | undefined;
  /** Keeps what a person has agreed to for more than one call. */
  remember(rules: readonly string[], scope: 'session' | 'always'): Promise<void>;
  /**
   * Told whenever something is remembered, until what is returned is called: questions that wait may have their answer by
   * it.
   */
  onRemembered(listener: () => void): () => void;
  /** Takes over the mode that a person chose with their answer. */
  chooseMode?(mode: PermissionMode): void;
  /** A person, or a hook in their place, was asked about the call and agreed. */
  agreed?(callId: string): void;
  /** Absent where nobody can answer. */
  readonly askPermission: AskPermission | undefined;
  /** `approval` is what the call may touch, and how its commands are confined, once that is decided. */
  contextFor(callId: string, signal: AbortSignal, approval?: Approval): ToolContext;
  /**
   * Announces a call whose changes of files are not journaled, before it works. What it resolves with is to be called when
   * it can write no more. Undefined for a call that writes nothing, or journals what it writes.
   */
  announceWriter?(call: { tool: string; callId: string; effects: readonly Effect[] }): Promise<() => void> | undefined;
  emit(happening: AgentHappening): void;
}
