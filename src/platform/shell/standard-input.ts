// The text on standard input, as far as it is known: a here-document, a here-string, or the output of `echo`, `printf`
// and `cat` in a pipe.
import type { HereDoc } from 'unbash';
import type { Call } from './programs/program.js';

/** The text, if it is known. Undefined: nothing that this command produced, such as a file or the input of the call. */
export type Input = { text: string } | 'unknown' | undefined;

/** After something may have read from it, the rest is not known. */
export const afterReading = (input: Input): Input => (input === undefined ? undefined : 'unknown');

export function textOfHereDoc({ operator, delimiter, body: { text } }: HereDoc): Input {
  if (delimiter?.quoted !== true && /[$`\\]/.test(text)) return 'unknown';
  return { text: operator === '<<-' ? text.replace(/^\t+/gm, '') : text };
}

/** What a command prints, if its words alone determine it. */
export function textPrinted({ name, args }: Call, input: Input): Input {
  const words = args.map(({ value }) => value);
  if (!words.every((word) => word !== undefined)) return 'unknown';
  if (name === 'cat') return words.every((word) => word === '-') && words.length < 2 ? (input ?? 'unknown') : 'unknown';
  if (name === 'echo') {
    const isOpen = words[0] === '-n';
    const shown = isOpen ? words.slice(1) : words;
    // Some shells read backslashes here, and other options change the text.
    if (shown.some((word) => word.includes('\\')) || /^-/.test(shown[0] ?? '')) return 'unknown';
    return { text: `${shown.join(' ')}${isOpen ? '' : '\n'}` };
  }
  if (name === 'printf') return textOfFormat(words[0] === '--' ? words.slice(1) : words);
  return 'unknown';
}

function textOfFormat([format = '', ...values]: readonly string[]): Input {
  if (!/^(?:[^%\\]|%s|%%|\\n)*$/.test(format) || format.startsWith('-')) return 'unknown';
  const places = format.match(/%s/g)?.length ?? 0;
  if (places === 0 && values.length > 0) return 'unknown';
  let text = '';
  let next = 0;
  do {
    text += format.replace(/%s|%%|\\n/g, (mark) => {
      if (mark === '%%') return '%';
      if (mark === '\\n') return '\n';
      next += 1;
      return values[next - 1] ?? '';
    });
  } while (next < values.length && places > 0);
  return { text };
}

/** A script that reads from its own input may skip lines of itself, so that quotes pair up in another way. */
export const mayReadItself = (script: string): boolean =>
  /\n./.test(script) && /\b(read|readarray|mapfile|head|dd|line)\b/.test(script);
