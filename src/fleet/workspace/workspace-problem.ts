import { UserFacingError } from '../../contract/user-facing-error.js';

/** A workspace can't be made, kept or given out. The message says why and what to do next. */
export class WorkspaceProblem extends UserFacingError {
  override readonly name = 'WorkspaceProblem';
}
