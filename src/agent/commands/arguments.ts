// The arguments of a command, and the placeholders in its text that they replace.
import { ToolFailure } from '../../contract/failure.js';

export interface Arguments {
  /** All arguments as typed. */
  whole: string;
  /** Split into words; quotes keep words together. */
  words: readonly string[];
  /** The names of the arguments, in order. */
  names: readonly string[];
  /** Variables in braces, such as `${HELVE_SKILL_DIR}`. */
  facts: Readonly<Record<string, string>>;
}

export function splitWords(text: string): string[] {
  const words = [...text.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+)|["'\\])+/gs)]; // an unclosed quote is literal
  return words.map(([whole]) =>
    whole.replaceAll(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
      (_, double?: string, single?: string, escaped?: string) =>
        double !== undefined ? double.replaceAll(/\\(["\\])/g, '$1') : (single ?? escaped ?? ''),
    ),
  );
}

const PLACES =
  /\\\$(?=ARGUMENTS|[1-9]|\{|[A-Za-z_])|\$\{([\w.]+)\}|\$ARGUMENTS\[(\d{1,3})\]|\$(ARGUMENTS\b|[1-9](?!\d)|[A-Za-z_]\w*)/g;

/** Whether the text has placeholders for arguments; otherwise the arguments are appended. */
export function takesArguments(text: string, { names }: Pick<Arguments, 'names'>): boolean {
  return [...text.matchAll(PLACES)].some(
    ([, , index, name]) =>
      index !== undefined || (name !== undefined && (/^(?:ARGUMENTS|\d)$/.test(name) || names.includes(name))),
  );
}

/** Replaces the placeholders. Inserted text is not scanned again. */
export function fillIn(text: string, args: Arguments): string {
  return replacePlaces(text, args, (value) => value);
}

/**
 * The same for a shell command: arguments are quoted, so that they are words and never shell syntax. Within quotes, or
 * if the command is too complex to analyse, only arguments without special characters are accepted.
 */
export function fillInCommand(line: string, args: Arguments): string {
  return replacePlaces(line, args, (value, { offset, isWhole }) => {
    const words = isWhole ? args.words : [value].filter((word) => word !== '');
    if (words.every((word) => PLAIN_WORD.test(word))) return words.join(' ');
    if (/["'`\\]|\$\(|<</.test(line.slice(0, offset))) {
      throw new ToolFailure(
        `The arguments can't be put into the command "${line}": they have characters that mean something to a shell, and it quotes them itself.`,
        { advice: 'Leave the quotes out of the command, or use plainer arguments.' },
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
    const [fact, index, name, offset] = groups as [string?, string?, string?, number?]; // the groups of PLACES, then the offset
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
