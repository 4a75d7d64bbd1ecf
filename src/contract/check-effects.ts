import { isAbsolute, resolve } from 'node:path';
import type { Effect } from './effect.js';

/**
 * Checks the effects that a tool declared, and normalizes their paths. Tools may be written without types, and
 * permissions depend on this list: one invalid effect makes the whole call `unknown`.
 */
export function checkedEffects(declared: unknown, tool: string): readonly Effect[] {
  if (!Array.isArray(declared)) return [notUnderstood(tool, 'it is not a list')];
  const effects = declared.map(checkedEffect);
  const wrong = effects.indexOf(undefined);
  if (wrong >= 0) return [notUnderstood(tool, `effect ${wrong + 1} is ${shown(declared[wrong])}`)];
  return effects.filter((effect) => effect !== undefined);
}

const notUnderstood = (tool: string, why: string): Effect => ({
  kind: 'unknown',
  why: `what ${tool} declares to touch is not understood (${why})`,
});

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 120);

function checkedEffect(declared: unknown): Effect | undefined {
  if (typeof declared !== 'object' || declared === null || !('kind' in declared)) return undefined;
  const effect = declared as Effect; // each field is checked below before it is used
  switch (effect.kind) {
    case 'file': {
      const { access, path, real } = effect;
      if (!isAccess(access) || !isPath(path) || !isPath(real)) return undefined;
      const { inProject: _, ...own } = effect; // not the tool's to say
      return { ...own, path: resolve(path), real: resolve(real) };
    }
    case 'command':
      return typeof effect.text === 'string' && typeof effect.harmless === 'boolean' ? effect : undefined;
    case 'network':
      return typeof effect.url === 'string' ? effect : undefined;
    case 'session':
      return isAccess(effect.access) && typeof effect.what === 'string' ? effect : undefined;
    case 'unknown':
      return {
        kind: 'unknown',
        why: String(effect.why),
        ...(effect.readOnlyHint === true && { readOnlyHint: true }),
      };
    default:
      return undefined;
  }
}

const isAccess = (value: unknown): boolean => value === 'read' || value === 'write';

const isPath = (value: unknown): boolean => typeof value === 'string' && isAbsolute(value);
