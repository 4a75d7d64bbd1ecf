import type { Decision } from '../contract/permission.js';
import { leavesSandbox } from '../permissions/sandboxed-call.js';

/**
 * Whether a rule could have allowed a call that was asked about or refused: only if the lack of a rule decided, and not
 * a mode, a hook, a rule or a protected path. A rule can never allow a call to leave the sandbox.
 */
export function ruleMayAllow({ behavior, trail = [] }: Decision, input: unknown): boolean {
  if (behavior === 'allow' || leavesSandbox(input)) return false;
  return trail.some(({ decided, basis }) => decided && basis === 'default');
}
