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
 * What exit code 1 says where it is an answer and not an error. Only for a command that is plainly one simple command, or
 * a pipe, whose exit code is that of its last command: in anything longer, nobody knows whose exit code it is.
 */
export function meaningOfExitOne(command: string): string | undefined {
  const bare = command
    .trim()
    .replace(/'[^']*'|"(?:[^"\\$`]|\\[\s\S]|\$\w)*"/g, 'quoted')
    .replace(/(?:[12&]?>\s*\/dev\/null|2>&1)(?=\s|$)/g, '');
  if (/[;&<>()`\n\\'"]|\|\|/.test(bare)) return undefined;
  const words = (bare.split('|').at(-1) ?? '').trim().split(/\s+/);
  const [program = '', ...rest] = words.slice(words.findIndex((word) => !/^\w+=/.test(word))); // behind `LC_ALL=C`
  return meanings.get(program === 'git' ? `git ${gitCommand(rest)}` : program);
}

/** The word that says what git shall do, behind the options of git itself. */
function gitCommand(words: readonly string[]): string {
  const [first = '', ...rest] = words;
  if (first === '-C' || first === '-c') return gitCommand(rest.slice(1));
  return first.startsWith('-') ? gitCommand(rest) : first;
}
