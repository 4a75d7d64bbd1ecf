/**
 * An error whose message is for a person: what happened, why, and what to do next. Every surface shows the message as
 * it is; any other error that reaches a surface counts as a bug of Helve.
 */
export class UserFacingError extends Error {}
