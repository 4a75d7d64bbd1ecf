/** The command line was used in a way that makes no sense: told in a sentence, exit 2. */
export class UsageProblem extends Error {}
