import type { PermissionQuestion } from '../../contract/permission.js';

/** The plan that a question is about: its only effect is a change of mode, and its display has text. */
export function planOf({ effects, display }: PermissionQuestion): string | undefined {
  const changesMode = effects.every((effect) => effect.kind === 'session' && effect.what === 'mode');
  return changesMode && display.title === 'plan' && display.body?.type === 'markdown' ? display.body.text : undefined;
}
