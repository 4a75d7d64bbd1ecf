// The ways in which a program may read its words, where the tables do not know all of its options and commands: each is
// judged, and the worst counts.
import type { CommandLine } from './command-line.js';

const MAX_UNCERTAIN = 8; // an attack may name thousands

export function readingsOf(line: CommandLine): CommandLine[] {
  const { operands, uncertain } = line;
  const leading = uncertain.slice(0, MAX_UNCERTAIN);
  const dropped = leading.map((_, count) => {
    const values = new Set(leading.slice(0, count + 1));
    return { ...line, operands: operands.filter((_word, index) => !values.has(index)) };
  });
  return [line, ...dropped].flatMap((reading) => [reading, ...writtenOut(reading)]);
}

/** Programs that accept the beginning of a command, with the commands that may be meant. */
const abbreviated: Readonly<Record<string, string>> = {
  npm: 'publish unpublish deprecate undeprecate dist-tag access owner team token login adduser logout star unstar exec install update rebuild link',
  bundle: 'exec publish install update',
  hg: 'push strip rollback purge',
  gradle: 'publish upload',
  gradlew: 'publish upload',
};

/** Commands that are complete, although another one begins in the same way. */
const complete: Readonly<Record<string, string>> = {
  npm: 'un up i it in ins inst s se t tst r rb rm ln la ll ls c ci ddp v x add set star',
};

const LEAST_CHARS = 2;

/** `npm publi` is `npm publish`. An ambiguous beginning is an error, so it does not matter which one is taken. */
function writtenOut(line: CommandLine): CommandLine[] {
  const { name, operands } = line;
  const [first = '', ...rest] = operands;
  const commands = (Object.hasOwn(abbreviated, name) ? abbreviated[name] : undefined)?.split(' ') ?? [];
  const isComplete = (Object.hasOwn(complete, name) ? complete[name] : undefined)?.split(' ').includes(first);
  if (first.length < LEAST_CHARS || isComplete || commands.includes(first)) return [];
  return commands
    .filter((command) => command.startsWith(first))
    .map((command) => ({ ...line, operands: [command, ...rest] }));
}
