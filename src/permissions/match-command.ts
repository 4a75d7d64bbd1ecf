// Matches patterns of Bash(...) rules with one simple command at a time. Allow rules match narrowly; ask and deny rules
// match any spelling of the same words, with options in between.
import type { CommandEffect } from '../contract/effect.js';
import { matchesBeginning, matchesText, type TextPattern, textPattern } from './match-text.js';
import { memoizeByObject } from './memoize.js';

export type CommandPattern =
  | { kind: 'any' }
  | { kind: 'exact'; text: string }
  /** `npm run:*` and `npm run *`: these words, and anything after them. */
  | { kind: 'prefix'; text: string; words: readonly string[] }
  | { kind: 'glob'; text: TextPattern; withoutLast?: TextPattern };

/** Undefined if the text is empty. */
export function parseCommandPattern(specifier: string): CommandPattern | undefined {
  const text = withSingleBlanks(specifier);
  if (text === '*' || text === '**') return { kind: 'any' };
  const prefix = /^(?<words>[\s\S]*?)(?::\*| \*)$/.exec(text)?.groups?.['words']?.trim();
  if (prefix === '' || text === '') return undefined;
  if (prefix !== undefined && !hasStar(prefix)) {
    return { kind: 'prefix', text: withoutEscapes(prefix), words: wordsOf(withoutEscapes(prefix)) };
  }
  if (!hasStar(text)) return { kind: 'exact', text: withoutEscapes(text) };
  if (prefix === undefined) return { kind: 'glob', text: textPattern(text) };
  return { kind: 'glob', text: textPattern(`${prefix} *`), withoutLast: textPattern(prefix) };
}

/** Whether a pattern allows this one command. A wrapper and the command that it runs are two. */
export function allowsCommand(pattern: CommandPattern, command: CommandEffect): boolean {
  if (pattern.kind === 'any') return true;
  if (command.assignsUnsafely) return false;
  if (pattern.kind !== 'exact' && needsExactRule(command)) return false;
  // Words that are not in the text, such as those that xargs adds, never match an exact rule, but match a wildcard.
  if (pattern.kind === 'exact' && !command.argv && !/[$`*?[]/.test(pattern.text)) return false;
  return spellings(command).some((text) => matchesOneText(pattern, text));
}

/**
 * Whether a pattern that allows the wrapper was written with the wrapped command in view: it is exact, or its words
 * reach into what is run. `timeout:*` says nothing about what timeout runs, `timeout 60 npm test:*` does.
 */
export function coversWrapped(pattern: CommandPattern, wrapper: CommandEffect, wrapped: CommandEffect): boolean {
  if (pattern.kind === 'any' || pattern.kind === 'exact') return true;
  if (pattern.kind === 'glob' || !wrapper.argv || !wrapped.argv) return false;
  const start = wrapper.argv.length - wrapped.argv.length;
  const isLast = start > 0 && wrapped.argv.every((word, index) => word === wrapper.argv?.[start + index]);
  return isLast && pattern.words.length > start;
}

/** Whether an ask or deny rule matches this command in any spelling. */
export function meansCommand(pattern: CommandPattern, command: CommandEffect, foldsCase: boolean): boolean {
  if (pattern.kind === 'any') return true;
  if (wideSpellings(command, foldsCase).some((text) => matchesOneText(pattern, text))) return true;
  return pattern.kind === 'prefix' && meansWords(pattern.words, plainWords(command, foldsCase));
}

/**
 * Whether an ask or deny rule may match the command once it runs, because a word of it is not known before: `git $X` may
 * be `git push`.
 */
export function mayMeanCommand(pattern: CommandPattern, command: CommandEffect, foldsCase: boolean): boolean {
  const { argv, words } = command;
  if (pattern.kind === 'any') return false;
  if (argv && readsItsScript(plainWords(command, foldsCase))) return true;
  if (!words) return false;
  const [name, ...given] = words;
  if (name === null || name === undefined) return true;
  const [program = ''] = namedPlainly([name], foldsCase);
  if (pattern.kind === 'glob') return matchesBeginning(pattern.text, [...`${program} `]);
  const [wanted = '', ...others] = pattern.kind === 'prefix' ? pattern.words : wordsOf(pattern.text);
  const untilUnknown = given.slice(0, given.indexOf(null)).filter((word) => word !== null);
  const plain = others
    .filter((word) => !isOption(word))
    .slice(0, untilUnknown.filter((word) => !isOption(word)).length);
  return wanted === program && startsWithWords(plain, untilUnknown, program);
}

/** `… | sh`: the commands that it runs are in none of its words. */
function readsItsScript([name = '', ...words]: readonly string[]): boolean {
  if (!/^(ba|da|z|k|a|fi)?sh$/.test(name)) return false;
  const operands = words.filter((word) => !/^[-+]/.test(word));
  return words.includes('-s') || (operands.length === 0 && !words.some((word) => /^-(-version|-help|n)$/.test(word)));
}

function matchesOneText(pattern: Exclude<CommandPattern, { kind: 'any' }>, text: string): boolean {
  switch (pattern.kind) {
    case 'exact':
      return text === pattern.text;
    case 'prefix':
      return text === pattern.text || text.startsWith(`${pattern.text} `);
    case 'glob':
      return (
        matchesText(pattern.text, text) || (pattern.withoutLast !== undefined && matchesText(pattern.withoutLast, text))
      );
  }
}

/** The command as typed, and its words in plain quoting: every text here stands for exactly these words. */
const spellings = memoizeByObject(({ text, argv }: CommandEffect): readonly string[] => {
  const typed = withSingleBlanks(text);
  return argv
    ? [typed, argv.map((word) => quoted(word, "'")).join(' '), argv.map((word) => quoted(word, '"')).join(' ')]
    : [typed];
});

const wideSpellings = (command: CommandEffect, foldsCase: boolean): readonly string[] =>
  foldsCase ? foldedSpellings(command) : plainSpellings(command);

const plainSpellings = memoizeByObject((command: CommandEffect) => spelledWidely(command, false));
const foldedSpellings = memoizeByObject((command: CommandEffect) => spelledWidely(command, true));

function spelledWidely(command: CommandEffect, foldsCase: boolean): readonly string[] {
  const { argv } = command;
  const typed = withSingleBlanks(command.text);
  const named = namedPlainly(argv ?? typed.split(' '), foldsCase); // what is typed begins with the program, quoted or not
  return [...spellings(command), ...(argv ? [argv.join(' ')] : []), named.join(' ')];
}

const plainWords = (command: CommandEffect, foldsCase: boolean): readonly string[] =>
  foldsCase ? foldedWords(command) : unfoldedWords(command);

const unfoldedWords = memoizeByObject(({ argv }: CommandEffect) => namedPlainly(argv, false));
const foldedWords = memoizeByObject(({ argv }: CommandEffect) => namedPlainly(argv, true));

/** `/bin/rm` and, where the volume folds case, `RM` are rm. */
function namedPlainly(argv: readonly string[] = [], foldsCase: boolean): string[] {
  const [name = '', ...rest] = argv;
  const plain = name.slice(name.lastIndexOf('/') + 1).replace(/^\\/, '');
  return [foldsCase ? plain.toLowerCase() : plain, ...rest];
}

/**
 * Whether these are the rule's words with other options among them: `git -C x push` is `git push`, `rm -r -f` is
 * `rm -rf`. An option may bring a word of its own, so both ways of reading it count.
 */
function meansWords([name, ...rest]: readonly string[], [program, ...given]: readonly string[]): boolean {
  if (name === undefined || program === undefined || name.slice(name.lastIndexOf('/') + 1) !== program) return false;
  const options = rest.filter(isOption);
  return (
    options.every((option) => hasOption(given, option)) &&
    startsWithWords(
      rest.filter((word) => !isOption(word)),
      given,
      program,
    )
  );
}

function startsWithWords(wanted: readonly string[], given: readonly string[], program: string): boolean {
  const [next, ...others] = wanted;
  if (next === undefined) return true;
  const [word, ...rest] = given;
  if (word === undefined) return false;
  if (word === next) return startsWithWords(others, rest, program);
  if (!isOption(word)) return false;
  if (startsWithWords(wanted, rest, program)) return true;
  const standsAlone = word.includes('=') || (program === 'git' && GIT_FLAGS.has(word)) || rest[0] === undefined;
  return !standsAlone && !isOption(rest[0] ?? '') && startsWithWords(wanted, rest.slice(1), program);
}

const GIT_FLAGS: ReadonlySet<string> = new Set([
  ...['-p', '-P', '--paginate', '--no-pager', '--bare', '--no-replace-objects', '--no-lazy-fetch', '--no-advice'],
  ...['--no-optional-locks', '--literal-pathspecs', '--glob-pathspecs', '--noglob-pathspecs', '--icase-pathspecs'],
]);

const isOption = (word: string): boolean => word.startsWith('-') && word !== '-';

function hasOption(given: readonly string[], option: string): boolean {
  if (given.some((word) => word === option || word.startsWith(`${option}=`))) return true;
  const clusters = given.filter((word) => /^-[a-z0-9]/i.test(word)).join('');
  if (option.startsWith('--')) return LONG_FORMS.some(([letter, long]) => long === option && clusters.includes(letter));
  return [...option.slice(1)].every(
    (letter) =>
      clusters.includes(letter) ||
      LONG_FORMS.some(([short, long]) => short === letter && given.some((word) => isShortened(word, long))),
  );
}

/** Short and long forms of options that rules are usually about. */
const LONG_FORMS = [
  ['f', '--force'],
  ['r', '--recursive'],
  ['R', '--recursive'],
] as const;

const isShortened = (word: string, long: string): boolean => word.length > 3 && long.startsWith(word);

/** Programs for which a prefix doesn't show what they run or delete. */
function needsExactRule({ argv, text }: CommandEffect): boolean {
  const [name = '', ...rest] = argv ?? text.split(' ');
  if (['watch', 'setsid', 'ionice', 'flock'].includes(name)) return true;
  return name === 'find' && (!argv || rest.some((word) => /^-(exec|ok|delete|fprint|fls)/.test(word)));
}

/** Collapses whitespace between words, but not inside quotes. */
function withSingleBlanks(text: string): string {
  return text
    .trim()
    .replace(/'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[ \t]+/g, (part) => (/^[ \t]/.test(part) ? ' ' : part));
}

const hasStar = (text: string): boolean => /(?<!\\)(?:\\\\)*\*/.test(text);
const withoutEscapes = (text: string): string => text.replace(/\\([*\\])/g, '$1');
const wordsOf = (text: string): string[] => text.split(' ').map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));

const quoted = (word: string, mark: "'" | '"'): string =>
  /^[\w@%+=:,./~^{}#-]+$/.test(word) || word.includes(mark) ? word : mark + word + mark;
