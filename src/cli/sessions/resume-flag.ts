/** Turns `--resume` without an id into `--resume=`: node:util's options have a value either always or never. */
export function withOpenResume(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const isOpen = (word: string, index: number): boolean =>
    (word === '--resume' || word === '-r') &&
    (end < 0 || index < end) &&
    (argv[index + 1] === undefined || argv[index + 1]?.startsWith('-') === true);
  return argv.map((word, index) => (isOpen(word, index) ? '--resume=' : word));
}
