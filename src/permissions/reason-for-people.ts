// The reason of a decision, as people read it. Programs and models get it with the name of the attack it may be.
import type { Decision } from '../contract/permission.js';

export const reasonForPeople = ({ reason, injection }: Pick<Decision, 'reason' | 'injection'>): string =>
  injection && reason.startsWith(`${injection.code}: `) ? reason.slice(injection.code.length + 2) : reason;
