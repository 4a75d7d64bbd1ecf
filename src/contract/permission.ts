import type { Effect } from './effect.js';
import type { ToolDisplay } from './tool.js';

export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;

/** What is decided where no rule speaks. */
export type PermissionMode = (typeof permissionModes)[number];

const fromLoosest: readonly PermissionMode[] = ['bypassPermissions', 'acceptEdits', 'default', 'dontAsk', 'plan'];

export const stricterMode = (one: PermissionMode, other: PermissionMode): PermissionMode =>
  fromLoosest.indexOf(one) > fromLoosest.indexOf(other) ? one : other;

export const wallStates = ['full', 'none'] as const;

/** Whether the kernel can confine commands here: `full`, or `none` where no sandbox works. */
export type Walls = (typeof wallStates)[number];

export const sandboxModes = ['workspace', 'effects'] as const;

/** What a command in the sandbox may write: the workspace, or what its effects name where they are all known. */
export type SandboxMode = (typeof sandboxModes)[number];

/**
 * How a command is confined while it runs, by what allowed it. `reads`: it is harmless, so everything is read-only and
 * there is no network. `edits`: the same, but the paths that its effects name for writing are writable. `approved`: a
 * person or a rule on commands allowed it, so the sandbox settings apply. `sandbox`: a part of it is allowed only because
 * the sandbox of the settings holds it, so it runs there or not at all. `none`: it is allowed without a question and
 * nothing confines it, because there are no walls here or because it reports facts that walls would hide.
 */
export type Confinement = 'reads' | 'edits' | 'approved' | 'sandbox' | 'none';

/** What is to become of a call. */
export type Behavior = 'allow' | 'ask' | 'deny';

/** What is to be judged: a call as it would run now, what hooks said of it, and what its own check had to ask about. */
export interface DecisionRequest {
  tool: string;
  input: unknown;
  effects: readonly Effect[];
  /** The question that the tool's own check wants put to the person. */
  checkAsks?: string;
  /** What hooks answered. They can make the answer stricter; an `allow` never outdoes a rule that denies or asks. */
  hooks?: readonly HookAnswer[];
  /** The tool's server claims that it only reads. Believed so far that plan mode asks instead of refusing. */
  readOnlyHint?: boolean;
}

/** What one hook wants done with a call. */
export interface HookAnswer {
  behavior: Behavior;
  reason?: string;
  /** Which hook it was, for the trail. */
  name?: string;
}

/** What was decided about a call, and why. */
export interface Decision {
  behavior: Behavior;
  /** One sentence: which effect or rule decided, and why. */
  reason: string;
  /** A rule allows the command that comes first, and `part` was added to it though nothing allows that. */
  injection?: { code: 'command_injection_detected'; part: string };
  /** How its commands are to be confined; absent where it runs none. */
  confinement?: Confinement;
  /** Positions of the effects that only the sandbox allows: it opens no path for them. */
  notOpened?: readonly number[];
  /** Everything that was judged on the way, in the order of the effects. */
  trail?: readonly TrailEntry[];
}

/** What the answer to one part of a call, one effect of it, or the call as a whole hung on. */
export interface TrailEntry {
  /** The part, in words: `"rm x"`, `read /a/b`, `Bash`. */
  about: string;
  /** The position among the effects of the request; absent where the entry is about the call as a whole. */
  effect?: number;
  behavior: Behavior;
  because: string;
  basis: DecisionBasis;
  /** The rule that matched, and where it is written. */
  rule?: { text: string; list: Behavior; file: string; line?: number };
  /** Whether the decision rests on this entry. */
  decided: boolean;
}

/** The grounds of an answer, from the strongest to the weakest. `untrusted` names a rule that does not count. */
export const decisionBases = [
  'own_data',
  'deny_rule',
  'deny_hook',
  'plan_mode',
  'ask_rule',
  'ask_hook',
  'check',
  'critical_path',
  'protected_path',
  'allow_rule',
  'allow_hook',
  'mode',
  'sandbox',
  'harmless',
  'workspace',
  'session',
  'default',
  'untrusted',
] as const;

/** What an answer rests on. */
export type DecisionBasis = (typeof decisionBases)[number];

/** Pure: the same request gets the same answer on every machine. */
export type Decide = (request: DecisionRequest) => Decision;

/** A call by the tool and the input that the model named. */
export interface SentCall {
  tool: string;
  input: unknown;
}

/** A call that somebody has to allow or deny. */
export interface PermissionQuestion {
  callId: string;
  tool: string;
  input: unknown;
  /** What the model sent, where that was another call: a patch that was typed into Bash. A change may have either shape. */
  sentAs?: SentCall;
  effects: readonly Effect[];
  /** What led to the question, with its whole reasoning. */
  decision: Decision;
  reason: string;
  display: ToolDisplay;
  /** The rules that would allow this and its like, the narrowest that are of use; none where nothing can be remembered. */
  suggestions: readonly string[];
  /** For the person: how the command is confined once it is approved. Absent for calls that run none. */
  confinement?: string;
  /** The child agent whose call it is. */
  agent?: { id: string; type: string };
}

/** What whoever was asked says. */
export type PermissionAnswer =
  | {
      behavior: 'allow';
      /** Rules, as suggested or changed by the person, that hold from now on, or always. */
      remember?: { rules: readonly string[]; scope: 'session' | 'always' };
      /** What is to run instead. It is checked and judged like any input, but not asked about again. */
      updatedInput?: Readonly<Record<string, unknown>>;
      /** The mode that holds from now on, where the person chose one with their answer. */
      mode?: 'default' | 'acceptEdits';
    }
  | { behavior: 'deny'; reason?: string };

/** Puts a question to whoever can answer it. Rejects only when the signal aborts. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
