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
 * What exit code 1 says where it is an answer and not an error. Only for a command that is plainly one simple command:
 * in anything longer, nobody knows whose exit code it is.
 */
export function meaningOfExitOne(command: string): string | undefined {
  const bare = command
    .trim()
    .replace(/'[^']*'|"(?:[^"\\$`]|\\[\s\S]|\$\w)*"/g, 'quoted')
    .replace(/(?:[12&]?>\s*\/dev\/null|2>&1)(?=\s|$)/g, '');
  if (/[;&|<>()`\n\\'"]/.test(bare)) return undefined;
  const [program = '', subcommand = ''] = bare.split(/\s+/);
  return meanings.get(program === 'git' ? `git ${subcommand}` : program);
}
