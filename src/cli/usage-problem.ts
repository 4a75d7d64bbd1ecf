/** A usage error: reported in a sentence, with exit code 2. */
export class UsageProblem extends Error {}
