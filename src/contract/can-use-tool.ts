import type { PermissionQuestion } from './permission.js';

/**
 * Answers for a person: may this call run? Called only where the rules say that somebody must be asked. One that throws
 * has not allowed anything: the call is denied.
 *
 * It gets the model's own questions too: `tool` is `AskUserQuestion` then, and who answers allows it with `updatedInput`
 * that has `answers` beside the `questions`, each under the text of its question.
 */
export type CanUseTool = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
  about: CallAbout,
) => ToolPermission | Promise<ToolPermission>;

/** What is known of a call that is asked about. */
export interface CallAbout
  extends Pick<PermissionQuestion, 'callId' | 'effects' | 'reason' | 'suggestions' | 'confinement' | 'agent'> {
  /** Aborts when the run is interrupted: nobody waits for the answer then. */
  signal: AbortSignal;
}

/** An answer for `canUseTool`. */
export type ToolPermission =
  | {
      behavior: 'allow';
      /** What is to run instead, whole. It is checked and judged like any input, but not asked about again. */
      updatedInput?: Readonly<Record<string, unknown>>;
      /** Rules, such as those of `suggestions`, that hold for the rest of the session. */
      allowRules?: readonly string[];
    }
  | {
      behavior: 'deny';
      /** Why not, for the model. */
      message?: string;
    };
