import type { Effect } from './effect.js';
import type { ToolDisplay } from './tool.js';

export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;

/** The decision if no rule matches. */
export type PermissionMode = (typeof permissionModes)[number];

const fromLoosest: readonly PermissionMode[] = ['bypassPermissions', 'acceptEdits', 'default', 'dontAsk', 'plan'];

export const stricterMode = (one: PermissionMode, other: PermissionMode): PermissionMode =>
  fromLoosest.indexOf(one) > fromLoosest.indexOf(other) ? one : other;

export const wallStates = ['full', 'none'] as const;

/** Whether the kernel can confine commands here: `full`, or `none` if no sandbox works. */
export type Walls = (typeof wallStates)[number];

export const sandboxModes = ['workspace', 'effects'] as const;

/** What a sandboxed command may write: the workspace, or only the paths in its effects if those are all known. */
export type SandboxMode = (typeof sandboxModes)[number];

/**
 * How a command is confined while it runs, depending on what allowed it. `reads`: it is harmless, so everything is
 * read-only and there is no network. `edits`: the same, but the paths that its effects declare for writing are
 * writable. `approved`: a person or a rule on commands allowed it, so the sandbox settings apply. `sandbox`: a part
 * of it is allowed only because the configured sandbox confines it, so it runs there or not at all. `none`: it is
 * allowed without a question and nothing confines it, because no sandbox works here or because it reports facts that
 * a sandbox would hide.
 */
export type Confinement = 'reads' | 'edits' | 'approved' | 'sandbox' | 'none';

/** The verdict on a call. */
export type Behavior = 'allow' | 'ask' | 'deny';

/**
 * The request for a decision: a call as it would run now, the hooks' answers, and the question of the tool's own
 * check.
 */
export interface DecisionRequest {
  tool: string;
  input: unknown;
  effects: readonly Effect[];
  /** The question that the tool's own check wants to ask the person. */
  checkAsks?: string;
  /** The hooks' answers. They can make the decision stricter; an `allow` never overrides a rule that denies or asks. */
  hooks?: readonly HookAnswer[];
  /** The tool's server claims that it only reads. Trusted only so far that plan mode asks instead of refusing. */
  readOnlyHint?: boolean;
}

/** What one hook wants done with a call. */
export interface HookAnswer {
  behavior: Behavior;
  reason?: string;
  /** The hook's name, for the trail. */
  name?: string;
}

/** The decision about a call, and its reason. */
export interface Decision {
  behavior: Behavior;
  /** One sentence: the deciding effect or rule, and why. */
  reason: string;
  /** A rule allows the first command, and `part` was added to it without being allowed. */
  injection?: { code: 'command_injection_detected'; part: string };
  /** How its commands are confined; absent if it runs none. */
  confinement?: Confinement;
  /** Indexes of the effects that only the sandbox allows: it opens no path for them. */
  notOpened?: readonly number[];
  /** Everything that was checked on the way, in the order of the effects. */
  trail?: readonly TrailEntry[];
}

/** The basis of the answer for one part of a call: one effect of it, or the call as a whole. */
export interface TrailEntry {
  /** The part, in words: `"rm x"`, `read /a/b`, `Bash`. */
  about: string;
  /** The index among the effects of the request; absent if the entry is about the call as a whole. */
  effect?: number;
  behavior: Behavior;
  because: string;
  basis: DecisionBasis;
  /** The rule that matched, and where it is defined. */
  rule?: { text: string; list: Behavior; file: string; line?: number };
  /** Whether the decision is based on this entry. */
  decided: boolean;
}

/** The bases of an answer, from the strongest to the weakest. `untrusted` names a rule that does not count. */
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

/** The basis of an answer. */
export type DecisionBasis = (typeof decisionBases)[number];

/** Pure: the same request gets the same answer on every machine. */
export type Decide = (request: DecisionRequest) => Decision;

export const riskKinds = [
  'rewrites_history',
  'remote_change',
  'publishes',
  'downloaded_code',
  'secrets',
  'privileges',
  'deletes',
  'overwrites',
  'startup',
  'writes_outside',
  'network',
  'unknown',
] as const;

/**
 * What a call puts at risk. `rewrites_history`: commits or uncommitted work are lost. `remote_change`: another machine,
 * a cluster, a cloud or a database changes. `publishes`: something is released to others. `downloaded_code`: code from
 * the network runs. `secrets`: keys or passwords are read or changed. `privileges`: rights, users, services or disks.
 * `deletes`: files go away, or leave the project. `overwrites`: a command replaces the content of a file.
 * `startup`: files that run programs later. `unknown`: what it does can't be determined.
 */
export type RiskKind = (typeof riskKinds)[number];

/** A reason to look twice before a call is allowed. */
export interface Risk {
  kind: RiskKind;
  /** `high`: it can't be taken back, or it leaves this machine. */
  level: 'high' | 'notable';
  /** Whether `helve undo` restores what it changes; `perhaps`: as far as it could be copied in time. */
  undoable: boolean | 'perhaps';
  /** For the person, without a subject: `sends data to example.com (POST)`. */
  text: string;
  /** The indexes of the effects of the call that it comes from. */
  effects: readonly number[];
  /** The command that it is about, as it would be typed. */
  part?: string;
}

const LOSING: ReadonlySet<RiskKind> = new Set([
  'rewrites_history',
  'remote_change',
  'publishes',
  'deletes',
  'overwrites',
  'downloaded_code',
]);

/**
 * What a call changes that nothing can restore, the worst first; undefined if there is no such risk. Data that is sent
 * away beside a secret that is read counts too.
 */
export function irreversibleRisk(risks: readonly Risk[]): Risk | undefined {
  const grave = risks.filter(({ level, undoable }) => level === 'high' && undoable === false);
  const readsSecret = grave.some(({ kind }) => kind === 'secrets');
  return grave.find(({ kind }) => LOSING.has(kind) || (readsSecret && kind === 'network'));
}

/** The modes as people know them. */
export const modeWords: Readonly<Record<PermissionMode, string>> = {
  default: 'ask before each change',
  acceptEdits: 'accept edits',
  plan: 'plan mode',
  dontAsk: "don't ask",
  bypassPermissions: 'bypass permissions',
};

/** A call by the tool and the input that the model named. */
export interface SentCall {
  tool: string;
  input: unknown;
}

/** A call that a person or program has to allow or deny. */
export interface PermissionQuestion {
  callId: string;
  tool: string;
  input: unknown;
  /**
   * What the model sent, if that was another call: a patch that was typed into Bash. A change may have either shape.
   */
  sentAs?: SentCall;
  effects: readonly Effect[];
  /** For the person: why commands among the effects are asked about, by the index of the effect. */
  commandReasons?: Readonly<Record<number, string>>;
  /** What the call puts at risk, the worst first. */
  risks: readonly Risk[];
  /** What can't be undone once it runs, in words without a subject: the headline of the question. */
  irreversible?: string;
  /** What led to the question, with its complete reasoning. */
  decision: Decision;
  reason: string;
  display: ToolDisplay;
  /**
   * The rules that would allow this and similar calls, the narrowest useful ones; empty if nothing can be remembered.
   */
  suggestions: readonly string[];
  /** For the person: why `suggestions` is empty, if there is more to say than that a rule asks. */
  whyNoRule?: string;
  /** For the person: how the command is confined once it is approved. Absent for calls that run none. */
  confinement?: string;
  /** The child agent that made the call. `description`: the model's name for its task. */
  agent?: { id: string; type: string; description?: string };
}

/** The answer to a permission question. */
export type PermissionAnswer =
  | {
      behavior: 'allow';
      /** Rules, as suggested or changed by the person, that apply from now on, or permanently. */
      remember?: { rules: readonly string[]; scope: 'session' | 'always' };
      /** The input to run instead. It is checked and judged like any input, but not asked about again. */
      updatedInput?: Readonly<Record<string, unknown>>;
      /** The mode that applies from now on, if the person chose one with their answer. */
      mode?: 'default' | 'acceptEdits';
      /** Who has answered, if several could; for the audit log. */
      by?: string;
    }
  | {
      behavior: 'deny';
      reason?: string;
      by?: string;
      /** No person has answered; the reason says why. */
      isUnanswered?: true;
    };

/** Asks a permission question. Rejects only when the signal aborts. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
