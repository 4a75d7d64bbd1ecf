/** Why a session can't be used. */
export type SessionProblemKind = 'unknown' | 'ambiguous' | 'in_use' | 'unreadable' | 'newer_format' | 'unwritable';

/** A session can't be used. The message says why and what to do next. */
export class SessionProblem extends Error {
  readonly kind: SessionProblemKind;

  constructor(kind: SessionProblemKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SessionProblem';
    this.kind = kind;
  }
}

export const noSuchSession = (id: string): SessionProblem =>
  new SessionProblem('unknown', `There is no session ${id}. helve sessions list --all shows those there are.`);
