import { UserFacingError } from '../../contract/user-facing-error.js';

/** Why a session can't be used. */
export type SessionProblemKind = 'unknown' | 'ambiguous' | 'in_use' | 'unreadable' | 'newer_format' | 'unwritable';

/** A session can't be used. The message says why and what to do next. */
export class SessionProblem extends UserFacingError {
  readonly kind: SessionProblemKind;
  /** The message without what to do next. */
  readonly fact: string;

  /** `advice`: what to do next on the command line; other surfaces give their own. */
  constructor(kind: SessionProblemKind, fact: string, { advice, ...options }: ErrorOptions & { advice?: string } = {}) {
    super(advice === undefined ? fact : `${fact} ${advice}`, options);
    this.name = 'SessionProblem';
    this.kind = kind;
    this.fact = fact;
  }
}

export const noSuchSession = (id: string): SessionProblem =>
  new SessionProblem('unknown', `There is no session ${id}.`, {
    advice: 'helve sessions list --all shows those there are.',
  });
