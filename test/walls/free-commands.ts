// Ordinary commands, and combinations of them: what a model types all day.
import { existsSync, readFileSync } from 'node:fs';
import { programs } from '../../src/platform/shell/programs/index.js';

const isLong = /^(.*\W)?(tail .*-[fF]|tail .*--follow|yes|watch|sleep)\b/s;

/** The examples of all program tables that must be harmless. */
export const tableExamples = (): string[] => programs.flatMap(({ examples }) => [...examples.harmless]);

/** Commands that end by themselves, from the corpus, the tables and the file that HELVE_COMMANDS names. */
export function plainCommands(): string[] {
  const corpus = readFileSync('test/fixtures/commands.jsonl', 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { command: string; harmless: boolean }) // our own fixture
    .filter(({ harmless }) => harmless)
    .map(({ command }) => command);
  const named = process.env['HELVE_COMMANDS'];
  const collection = named !== undefined && existsSync(named) ? readFileSync(named, 'utf8').split('\n') : [];
  return [...new Set([...corpus, ...tableExamples(), ...collection])].filter(
    (command) => command.trim() !== '' && !isLong.test(command),
  );
}

const filters = [
  'head',
  'head -3',
  'tail -n 2',
  'sort',
  'sort -u',
  'wc -l',
  'uniq -c',
  'cut -c1-20',
  'grep -c .',
  'cat',
];
const wrappers = ['timeout 5', 'nice', 'env LANG=C', 'command', 'stdbuf -oL'];
const operands = [
  'a.txt',
  'src/a.txt',
  '.',
  'src',
  '*.txt',
  'src/*',
  './a.txt',
  '"$PWD/a.txt"',
  'nothing',
  '.env',
  '*',
];
const options = ['-n', '-l', '-v', '-r', '-a', '-c', '-i', '--', '-1', '-h', '-q', '-s', '-z', '--help', '--version'];

/** Combines commands: lists, pipes, loops, other operands, other options. Many of them will not be free. */
export function* combinedCommands(plain: readonly string[], random: () => number): Generator<string, never> {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item; // never empty
  const one = (): string => pick(plain);
  const simple = plain.filter((command) => /^[\w./-]+( [\w./=,:*-]+)*$/.test(command));
  const swapped = (): string => {
    const words = pick(simple).split(' ');
    if (words.length > 1) words[1 + Math.floor(random() * (words.length - 1))] = pick(operands);
    return words.join(' ');
  };
  const longer = (): string => {
    const [name = '', ...rest] = pick(simple).split(' ');
    return [name, pick(options), ...rest].join(' ');
  };
  const forms: ReadonlyArray<() => string> = [
    () => `${one()} | ${pick(filters)}`,
    () => `${one()} | ${pick(filters)} | ${pick(filters)}`,
    () => `${one()}; ${one()}`,
    () => `${one()} && ${one()}`,
    () => `${one()} || ${one()}`,
    () => `! ${pick(simple)}`,
    () => `cd src && ${one()}`,
    () => `(${one()})`,
    () => `{ ${one()}; }`,
    () => `${one()} > /dev/null 2>&1`,
    () => `${one()} 2>/dev/null`,
    () => `echo "$(${pick(simple)})"`,
    () => `${pick(wrappers)} ${pick(simple)}`,
    () => `for f in *.txt src/*; do ${pick(simple)} "$f"; done`,
    () => `if ${pick(simple)}; then ${one()}; fi`,
    () => `find . -name '*.txt' -exec ${pick(simple)} {} +`,
    () => `find src -type f | xargs ${pick(simple)}`,
    () => `${pick(simple)} < a.txt`,
    () => `x=$(${pick(simple)}); echo "$x"`,
    () => `bash -c '${pick(simple)}'`,
    () => `while read -r line; do echo "$line"; done < <(${pick(simple)})`,
    swapped,
    swapped,
    longer,
    longer,
  ];
  for (;;) {
    const command = pick(forms)();
    if (!isLong.test(command)) yield command;
  }
}
