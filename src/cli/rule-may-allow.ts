import type { Decision } from '../contract/permission.js';
import { leavesSandbox } from '../permissions/sandboxed-call.js';

/**
 * Whether a rule could have allowed a call that was asked about or refused: only where nothing stronger than the lack of
 * one decided, such as a mode, a hook, a rule or a protected path. To leave the sandbox is never a rule's to allow.
 */
export function ruleMayAllow({ behavior, trail = [] }: Decision, input: unknown): boolean {
  if (behavior === 'allow' || leavesSandbox(input)) return false;
  return trail.some(({ decided, basis }) => decided && basis === 'default');
}
