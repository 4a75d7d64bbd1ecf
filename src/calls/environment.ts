// What the path of a call needs from the session around it, handed in so that the path knows no session.
import type { AgentHappening } from '../contract/event.js';
import type { AskPermission, Decide } from '../contract/permission.js';
import type { Tool } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import type { Slots } from '../platform/slots.js';
import type { Gate } from './gate.js';

export interface CallEnvironment {
  /** By the name that the model uses; a deferred tool that is called becomes active by it. */
  findTool(name: string): Tool | undefined;
  toolNames(): readonly string[];
  readonly gate: Gate;
  /** How many calls may work at the same time. */
  readonly slots: Slots;
  readonly decide: Decide;
  /** Absent where nobody can answer. */
  readonly askPermission: AskPermission | undefined;
  contextFor(callId: string, signal: AbortSignal): ToolContext;
  emit(happening: AgentHappening): void;
}
