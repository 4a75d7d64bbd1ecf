// File names that one program passes to another. A name may contain blanks, quotes and newlines, and begin with a
// dash. The words that `xargs`, `read` or a substitution makes of it may then be anything: other files, and options.

import type { Call, PipedNames, ProgramVerdict, ShellField } from './programs/program.js';
import { wrappers } from './programs/wrappers.js';
import { withoutGuess } from './redirections.js';

/** Programs that write no file and start no program, whatever their options and operands are. */
const harmlessWithAnyWords: ReadonlySet<string> = new Set(
  `cat head tail wc grep egrep fgrep ls dir vdir stat du cut nl tac rev basename dirname realpath readlink md5sum sha1sum
  sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od cmp paste comm join fold fmt expand unexpand tr echo
  test [ true false seq read cd`.split(/\s+/),
);

const wrapperNames: ReadonlySet<string> = new Set(wrappers.flatMap(({ names }) => names));

/**
 * The words as the program has to be judged with them. If any word is harmless, they stand for the files that they
 * come from; only the kernel can confine access to others. A wrapper passes them on.
 */
export function asGiven(name: string, args: readonly ShellField[]): readonly ShellField[] {
  if (!args.some(({ anyWords }) => anyWords)) return args;
  return harmlessWithAnyWords.has(name) || wrapperNames.has(name) ? args : args.map(withoutGuess);
}

/** The standard input of the next program in a pipeline. */
export function namesPrinted(call: Call, { prints, passesNames }: ProgramVerdict): PipedNames | undefined {
  if (prints) return { pathSpecs: prints, whole: true, mayBeOption: namesMayBeOptions(call, prints) };
  if (!passesNames || !call.piped) return undefined;
  const keepsNul = call.args.some(({ value }) => /^(-[a-zA-Z]*z|--zero-terminated|--null-data)$/.test(value ?? ''));
  return { ...call.piped, whole: call.piped.whole && keepsNul };
}

/** Find prefixes each name with its root; other programs do so only for a given folder. */
function namesMayBeOptions({ name }: Call, pathSpecs: PipedNames['pathSpecs']): boolean {
  if (pathSpecs.some(({ path }) => path.startsWith('-'))) return true;
  if (name === 'find' || name === 'gfind') return false;
  const isPrefixed = /^(grep|egrep|fgrep|rg)$/.test(name) && pathSpecs.every(({ path }) => path !== '.');
  return !isPrefixed;
}
