// How a command's effects determine its sandbox. Permission decisions and the Bash tool must agree on this.
import type { CommandEffect, Effect } from '../../contract/effect.js';

/**
 * Whether settings exclude every one of the commands from the sandbox and there are no other effects: no redirection,
 * no change of directory, nothing unresolved.
 */
export function runsOutside(effects: readonly Effect[], excluded: readonly string[]): boolean {
  if (excluded.length === 0 || !effects.some(({ kind }) => kind === 'command')) return false;
  return effects.every((effect) => {
    if (effect.kind === 'command') {
      const { argv, assigns = [] } = effect;
      return argv !== undefined && assigns.length === 0 && excluded.some((entry) => beginsWith(argv, entry));
    }
    if (effect.kind === 'file') return effect.by?.as === 'operand';
    return effect.kind === 'session' && effect.access === 'read';
  });
}

/** `docker`, `docker *`, `npm run e2e:*`. */
function beginsWith(argv: readonly string[], entry: string): boolean {
  const words = entry
    .trim()
    .replace(/(?::\*|(?<!\s)\s+\*)$/, '')
    .split(/\s+/);
  return words.every((word, index) => word !== '' && word === argv[index]);
}

/**
 * Whether the effects are complete, so that the commands can be confined to them: each command is harmless, or its
 * table names the files that it writes. Any other command, such as a build, may write more than it names.
 */
export function effectsAreComplete(effects: readonly Effect[]): boolean {
  const commands = effects.filter((effect) => effect.kind === 'command');
  const namesWhatItWrites = (command: CommandEffect): boolean =>
    effects.some(
      (effect) =>
        effect.kind === 'file' &&
        effect.access === 'write' &&
        effect.by?.as === 'operand' &&
        effect.by.command === commands.indexOf(command),
    );
  return (
    commands.length > 0 &&
    effects.every((effect) => {
      if (effect.kind === 'unknown' || effect.kind === 'network') return false;
      if (effect.kind === 'file') return effect.access === 'read' || effect.unresolved === undefined;
      if (effect.kind !== 'command') return true;
      if (effect.observes === 'machine' || effect.assignsUnsafely) return false;
      return effect.harmless || namesWhatItWrites(effect);
    })
  );
}
