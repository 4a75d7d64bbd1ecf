const meanings = new Map(
  Object.entries({
    grep: 'no line matches',
    egrep: 'no line matches',
    fgrep: 'no line matches',
    rg: 'no line matches',
    'git grep': 'no line matches',
    diff: 'the inputs differ',
    'git diff': 'the inputs differ',
    test: 'the condition is false',
    '[': 'the condition is false',
    find: 'some paths could not be searched',
  }),
);

/**
 * What exit code 1 means if it is a result and not an error. Only for one simple command, or a pipe, whose exit code is
 * that of its last command: in anything longer it is unclear which command it came from.
 */
export function meaningOfExitOne(command: string): string | undefined {
  const bare = command
    .trim()
    .replace(/'[^']*'|("(?:[^"\\$`]|\\[\s\S]|\$\w)*)("?)/g, (_, opened?: string, end?: string) =>
      opened && !end ? '"' : 'quoted',
    )
    .replace(/(?:[12&]?>\s*\/dev\/null|2>&1)(?=\s|$)/g, '');
  if (/[;&<>()`\n\\'"]|\|\|/.test(bare)) return undefined;
  const words = (bare.split('|').at(-1) ?? '').trim().split(/\s+/);
  const [program = '', ...rest] = words.slice(words.findIndex((word) => !/^\w+=/.test(word))); // skips assignments such as `LC_ALL=C`
  return meanings.get(program === 'git' ? `git ${gitCommand(rest)}` : program);
}

/** The git subcommand, after git's own options. */
function gitCommand(words: readonly string[]): string {
  const [first = '', ...rest] = words;
  if (first === '-C' || first === '-c') return gitCommand(rest.slice(1));
  return first.startsWith('-') ? gitCommand(rest) : first;
}
