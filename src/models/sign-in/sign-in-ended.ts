import { AuthProblem } from '../../platform/oauth/auth-problem.js';

/** The provider does not accept the sign-in any more: only a person can help. */
export class SignInEnded extends AuthProblem {
  /** The registration can't be used again either. */
  readonly isClientGone: boolean;

  constructor(message: string, { isClientGone = false } = {}) {
    super(message);
    this.isClientGone = isClientGone;
  }
}
