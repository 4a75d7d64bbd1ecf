// Describes a call's effects for a permission question: with real paths, not only the names that were used.
import type { CommandEffect, Effect, FileEffect } from '../../contract/effect.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, wrap } from '../views/fit.js';

/**
 * Most important first, with the deciding ones at the top so that they are never folded; without duplicates and trivial
 * ones.
 */
export function effectLines(
  theme: Theme,
  effects: readonly Effect[],
  { width, deciding }: { width: number; deciding: Effect | undefined },
): string[] {
  const { paint } = theme;
  const written = new Set(
    effects.flatMap((effect) => (effect.kind === 'file' && isWrite(effect) ? [effect.path] : [])),
  );
  const commands = effects.filter((effect) => effect.kind === 'command');
  const wraps = (command: CommandEffect): boolean =>
    commands.some(({ wrappedBy }) => wrappedBy === commands.indexOf(command));
  const isPlain = (effect: Effect): boolean =>
    (effect.kind === 'command' && effect.harmless && wraps(effect)) ||
    (effect.kind === 'session' && effect.access === 'read') ||
    (effect.kind === 'file' && !isWrite(effect) && !effect.tree && written.has(effect.path));
  const said = effects
    .filter((effect) => !isPlain(effect))
    .map((effect) => ({ ...inWords(effect), weight: weightOf(effect, effect === deciding) }))
    .sort((one, other) => one.weight - other.weight);
  const once = [...new Map(said.map((each) => [`${each.verb} ${each.what}`, each])).values()];
  return once.flatMap(({ verb, what, weight }) => {
    const painted = weight <= 3 ? paint.warning : paint.muted;
    const [first = '', ...rest] = wrap(`${verb} ${what}`, width, '  ');
    return [`${painted(first.slice(0, verb.length))}${first.slice(verb.length)}`, ...rest];
  });
}

const isWrite = ({ access }: FileEffect): boolean => access === 'write';

function inWords(effect: Effect): { verb: string; what: string } {
  switch (effect.kind) {
    case 'file':
      return { verb: verbOf(effect), what: placeOf(effect) };
    case 'command': {
      const why = effect.harmless || effect.why === undefined ? '' : ` (${cleanLine(effect.why)})`;
      const assigned = effect.assigns?.length ? ` with ${cleanLine(effect.assigns.join(', '))} set` : '';
      return { verb: 'runs', what: `${cleanLine(effect.text)}${assigned}${why}` };
    }
    case 'network':
      return { verb: 'reaches', what: cleanLine(effect.url) };
    case 'session':
      return { verb: effect.access === 'write' ? 'changes' : 'reads', what: sessionWords[effect.what] };
    case 'unknown':
      return { verb: 'could touch anything:', what: cleanLine(effect.why) };
  }
}

function verbOf({ access, removes, listing, tree }: FileEffect): string {
  if (removes) return tree ? 'deletes the tree' : 'deletes';
  if (access === 'write') return tree ? 'writes below' : 'writes';
  if (listing) return 'lists';
  return tree ? 'reads below' : 'reads';
}

/** A symlink is shown with its target. */
function placeOf({ path, real, pattern, unresolved }: FileEffect): string {
  if (unresolved !== undefined) return `${cleanLine(unresolved)} (unknown until it runs)`;
  const name = cleanLine(pattern ?? path);
  return real === path ? name : `${name} → ${cleanLine(real)} (a link)`;
}

const sessionWords = {
  cwd: 'the working directory',
  mode: 'the permission mode',
  todos: 'the to-do list',
  tools: 'the set of tools',
  memory: "the project's memory",
} as const;

function weightOf(effect: Effect, decides: boolean): number {
  if (effect.kind === 'unknown') return 0;
  if (effect.kind === 'file' && effect.removes) return 0;
  if (decides) return 1;
  if (effect.kind === 'file') return effect.access === 'write' ? 2 : 5;
  if (effect.kind === 'command') return effect.harmless ? 4 : 3;
  return effect.kind === 'network' ? 3 : 6;
}
