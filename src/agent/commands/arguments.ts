// What was typed behind a command's name, and the places in its text that it goes to.
import { ToolFailure } from '../../contract/failure.js';

export interface Arguments {
  /** As they were typed. */
  whole: string;
  /** Word by word; quotes keep words together. */
  words: readonly string[];
  /** What the words are called, in their order. */
  names: readonly string[];
  /** What stands in braces: `${HELVE_SKILL_DIR}`. */
  facts: Readonly<Record<string, string>>;
}

export function splitWords(text: string): string[] {
  const words = [...text.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+)|["'\\])+/gs)]; // a quote that is not closed stands for itself
  return words.map(([whole]) =>
    whole.replaceAll(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
      (_, double?: string, single?: string, escaped?: string) =>
        double !== undefined ? double.replaceAll(/\\(["\\])/g, '$1') : (single ?? escaped ?? ''),
    ),
  );
}

const PLACES =
  /\\\$(?=ARGUMENTS|[1-9]|\{|[A-Za-z_])|\$\{(\w+)\}|\$ARGUMENTS\[(\d{1,3})\]|\$(ARGUMENTS\b|[1-9](?!\d)|[A-Za-z_]\w*)/g;

/** Whether the text has a place for arguments: where it has none, they are put behind it. */
export function takesArguments(text: string, { names }: Pick<Arguments, 'names'>): boolean {
  return [...text.matchAll(PLACES)].some(
    ([, , index, name]) =>
      index !== undefined || (name !== undefined && (/^(?:ARGUMENTS|\d)$/.test(name) || names.includes(name))),
  );
}

/** The text with everything in its place. What is put in is not looked at again. */
export function fillIn(text: string, args: Arguments): string {
  return replacePlaces(text, args, (value) => value);
}

/**
 * The same for a command line: arguments are words to it and never a part of its grammar. Within quotes of the line, or
 * where it is too intricate to tell, only those will do that mean nothing to a shell.
 */
export function fillInCommand(line: string, args: Arguments): string {
  return replacePlaces(line, args, (value, { offset, isWhole }) => {
    const words = isWhole ? args.words : [value].filter((word) => word !== '');
    if (words.every((word) => PLAIN_WORD.test(word))) return words.join(' ');
    if (/["'`\\]|\$\(|<</.test(line.slice(0, offset))) {
      throw new ToolFailure(
        `The arguments can't be put into the command "${line}": they have characters that mean something to a shell, and it quotes them itself. Leave the quotes out of the command, or use plainer arguments.`,
      );
    }
    return words.map(quoted).join(' ');
  });
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

const quoted = (word: string): string => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function replacePlaces(
  text: string,
  { whole, words, names, facts }: Arguments,
  put: (value: string, place: { offset: number; isWhole: boolean }) => string,
): string {
  return text.replaceAll(PLACES, (written, ...groups: unknown[]) => {
    const [fact, index, name, offset] = groups as [string?, string?, string?, number?]; // as PLACES has them, then where
    const place = { offset: offset ?? 0, isWhole: name === 'ARGUMENTS' };
    if (written.startsWith('\\')) return '$';
    if (fact !== undefined) return Object.hasOwn(facts, fact) ? put(facts[fact] ?? '', place) : written;
    if (index !== undefined) return put(words[Number(index)] ?? '', place);
    if (name === 'ARGUMENTS') return put(whole, place);
    if (name !== undefined && /^\d$/.test(name)) return put(words[Number(name) - 1] ?? '', place);
    const named = names.indexOf(name ?? '');
    return named < 0 ? written : put(words[named] ?? '', place);
  });
}
