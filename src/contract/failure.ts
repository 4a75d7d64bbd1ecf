/** The six ways a call can fail, told apart in every result event. */
export type FailureKind =
  | 'unknown_tool'
  | 'interrupted'
  | 'invalid_input'
  | 'check_refused'
  | 'permission_denied'
  | 'exception';

/**
 * A failure that the model should learn of. The message says what happened, why with the facts, and what to do next.
 * Anything else that is thrown counts as an exception of the tool and is reported with its message.
 */
export class ToolFailure extends Error {
  readonly kind: FailureKind;

  constructor(message: string, options: { kind?: FailureKind; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ToolFailure';
    this.kind = options.kind ?? 'exception';
  }
}
