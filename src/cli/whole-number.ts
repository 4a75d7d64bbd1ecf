import { UsageProblem } from './usage-problem.js';

/** The value of an option that takes a whole number. */
export function wholeNumber(name: string, given: string): number {
  if (/^[1-9]\d{0,5}$/.test(given)) return Number(given);
  throw new UsageProblem(`--${name} takes a whole number from 1, but was "${given}".`);
}
