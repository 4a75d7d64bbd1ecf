import type { ToolDisplay } from './tool.js';

/** The six ways a call can fail, told apart in every result event. These comments are a table of docs/errors.md. */
export type FailureKind =
  /**
   * No tool has that name, and no similar name is unambiguous.
   * @example There is no tool named "ReadFile". Did you mean "Read"?
   */
  | 'unknown_tool'
  /**
   * The call was cancelled, before it started or while it ran.
   * @example The user interrupted before Read started, so nothing was done.
   */
  | 'interrupted'
  /**
   * The input does not fit the schema, is not valid JSON, or was cut off.
   * @example Read: "limit" must be a number, but was "all". Nothing was run. Correct the input and send the call again.
   */
  | 'invalid_input'
  /**
   * The tool refused it; nothing was done.
   * @example app.ts has not been read in this session, so an edit could destroy unseen content. Read it, then send the edit again.
   */
  | 'check_refused'
  /**
   * A decision or a person said no, or there was no one to ask.
   * @example Write was not run: it writes /home/me/project/x, and no one can be asked here. Do not look for another way to do the same; ask the user or go on without it.
   */
  | 'permission_denied'
  /**
   * The work itself failed.
   * @example Exit code 2
   */
  | 'exception';

/** The parts of a failure beside its message. */
export interface ToolFailureOptions {
  kind?: FailureKind;
  /** What the model should do next. It follows the message, and no person sees it. */
  advice?: string;
  /** What went wrong, for the person. Default: the message without the advice. */
  problem?: string;
  /** What the person sees of the call, where it differs from a call that did not run: the output of a program. */
  display?: Partial<ToolDisplay>;
  cause?: unknown;
  /** Data beside the message, for programs; the model never sees it. */
  data?: unknown;
}

/**
 * A failure that the model should know about. The message says what happened and why, with the facts; the advice says
 * what to do next. Anything else that is thrown counts as an exception of the tool and is reported with its message.
 */
export class ToolFailure extends Error {
  readonly kind: FailureKind;
  /** What went wrong, for the person. */
  readonly problem: string;
  readonly display: Partial<ToolDisplay> | undefined;
  readonly data: unknown;

  constructor(message: string, options: ToolFailureOptions = {}) {
    super([message, options.advice].filter((part) => part !== undefined && part !== '').join(' '), {
      cause: options.cause,
    });
    this.name = 'ToolFailure';
    this.kind = options.kind ?? 'exception';
    this.problem = options.problem ?? message;
    this.display = options.display;
    this.data = options.data;
  }
}
