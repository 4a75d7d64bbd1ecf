/** `--resume` with no id behind it as `--resume=`: an option takes a value or takes none. */
export function withOpenResume(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const isOpen = (word: string, index: number): boolean =>
    (word === '--resume' || word === '-r') &&
    (end < 0 || index < end) &&
    (argv[index + 1] === undefined || argv[index + 1]?.startsWith('-') === true);
  return argv.map((word, index) => (isOpen(word, index) ? '--resume=' : word));
}
