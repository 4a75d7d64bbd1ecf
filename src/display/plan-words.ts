// What the question about a plan says and offers.
import {
  modeWords,
  type PermissionAnswer,
  type PermissionMode,
  type PermissionQuestion,
} from '../contract/permission.js';

export const PLAN_QUESTION = 'Start with this plan?';

/** Shown while a reason for a refusal is asked for. */
export const PLAN_REFUSAL_PROMPT = 'What should change?';

/** The reason of the question, if it says more than what the choices say. */
export const moreOfPlan = ({ reason }: PermissionQuestion): string =>
  /^the plan waits for approval; with it the mode becomes "[^"]*"$/.test(reason) ? '' : reason;

export interface PlanChoice {
  key: 'y' | 'a' | 'n';
  label: string;
  gives: Extract<PermissionAnswer, { behavior: 'allow' }> | 'refuse';
}

/** `modeAfter`: the mode before plan mode. Edits are accepted only if the person says so, whatever it was. */
export function planChoices(modeAfter: PermissionMode): PlanChoice[] {
  const asksForEdits = modeAfter === 'default' || modeAfter === 'acceptEdits';
  return [
    asksForEdits
      ? { key: 'y', label: 'Yes, and ask before each edit', gives: { behavior: 'allow', mode: 'default' } }
      : { key: 'y', label: `Yes, and return to ${modeWords[modeAfter]}`, gives: { behavior: 'allow' } },
    { key: 'a', label: 'Yes, and accept edits', gives: { behavior: 'allow', mode: 'acceptEdits' } },
    { key: 'n', label: 'No, and say what should change', gives: 'refuse' },
  ];
}
