// What is known about a command beyond that it is asked about, for the question to a person and for a refusal.
import type { Effect } from '../contract/effect.js';
import type { Decision } from '../contract/permission.js';

/** The reason of a decision, with why the command that it hangs on is not harmless, where more is known than that. */
export function withKnownReason({ reason, trail = [] }: Decision, effects: readonly Effect[]): string {
  const deciding = trail.find(({ decided, basis }) => decided && basis === 'default')?.effect;
  const effect = deciding === undefined ? undefined : effects[deciding];
  if (effect?.kind !== 'command' || effect.harmless || effect.why === undefined) return reason;
  const isSaid = /^it writes( a file)?$/.test(effect.why) && / (writes|removes) /.test(reason);
  const saysNothing = isSaid || /^\S+ is not known to be harmless$/.test(effect.why);
  return saysNothing || reason.includes(effect.why) ? reason : `${reason} (${effect.why})`;
}
