import type { Effect } from './effect.js';
import type { ToolDisplay } from './tool.js';

export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;

export type PermissionMode = (typeof permissionModes)[number];

/** What is to be judged: a call as it would run now, and what its own check had to ask about. */
export interface DecisionRequest {
  tool: string;
  input: unknown;
  effects: readonly Effect[];
  /** The question that the tool's own check wants put to the person. */
  checkAsks?: string;
}

export interface Decision {
  behavior: 'allow' | 'ask' | 'deny';
  /** One sentence: which effect or rule decided, and why. */
  reason: string;
}

/** Pure: the same request gets the same answer on every machine. */
export type Decide = (request: DecisionRequest) => Decision;

export interface PermissionQuestion {
  callId: string;
  tool: string;
  input: unknown;
  effects: readonly Effect[];
  reason: string;
  display: ToolDisplay;
}

export type PermissionAnswer = { behavior: 'allow' } | { behavior: 'deny'; reason?: string };

/** Puts a question to whoever can answer it. Rejects only when the signal aborts. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
