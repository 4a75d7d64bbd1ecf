// The reason of a decision, as shown to people. Programs and models get it with the name of the suspected attack.
import type { Decision } from '../contract/permission.js';

export const reasonForPeople = ({ reason, injection }: Pick<Decision, 'reason' | 'injection'>): string =>
  injection && reason.startsWith(`${injection.code}: `) ? reason.slice(injection.code.length + 2) : reason;
