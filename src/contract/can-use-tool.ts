import type { PermissionQuestion } from './permission.js';

/**
 * Decides for a person whether a call may run. Called only if the rules say that a person must be asked. If it throws, the
 * call is denied.
 *
 * It gets the model's own questions too: then `tool` is `AskUserQuestion`, and an answer allows it with an `updatedInput`
 * that has `answers` in addition to the `questions`, each under the text of its question.
 */
export type CanUseTool = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
  about: CallAbout,
) => ToolPermission | Promise<ToolPermission>;

/** Facts about the call. */
export interface CallAbout
  extends Pick<
    PermissionQuestion,
    'callId' | 'effects' | 'risks' | 'reason' | 'suggestions' | 'confinement' | 'agent'
  > {
  /** Aborts when the run is interrupted: the answer is not awaited then. */
  signal: AbortSignal;
}

/** An answer for `canUseTool`. */
export type ToolPermission =
  | {
      behavior: 'allow';
      /** The whole input to run instead. It is checked and decided like any input, but not asked about again. */
      updatedInput?: Readonly<Record<string, unknown>>;
      /** Rules, such as those of `suggestions`, that hold for the rest of the session. */
      allowRules?: readonly string[];
    }
  | {
      behavior: 'deny';
      /** The reason, for the model. */
      message?: string;
    };
