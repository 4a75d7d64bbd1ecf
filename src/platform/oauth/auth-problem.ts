import { UserFacingError } from '../../contract/user-facing-error.js';

/** A sign-in or a token request that can't go on. The message is for the user, and contains no secret. */
export class AuthProblem extends UserFacingError {
  /** Another attempt may succeed, so tokens are kept. */
  readonly isTransient: boolean;

  constructor(message: string, { isTransient = false, cause }: { isTransient?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'AuthProblem';
    this.isTransient = isTransient;
  }
}
