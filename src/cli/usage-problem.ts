import { UserFacingError } from '../contract/user-facing-error.js';

/** A usage error: reported in a sentence, with exit code 2. */
export class UsageProblem extends UserFacingError {}

/** A usage error whose cause is not in the arguments but in a file, a key or a model, so that no help page is named. */
export class SetupProblem extends UsageProblem {}
