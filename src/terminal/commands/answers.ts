// Formats answers of commands, limited to the height of a screen.
import type { Choice, CommandAnswer } from '../contract.js';

const MAX_LINES = 36; // of 40 rows, which also hold the prompt and the status line

export const text = (...lines: readonly string[]): CommandAnswer => ({ type: 'text', text: lines.join('\n') });

export const problem = (sentence: string): CommandAnswer => ({ type: 'problem', text: sentence });

/** The first lines, and a count of the rest. */
export function fitted(lines: readonly string[], { last = [] as readonly string[] } = {}): CommandAnswer {
  const room = MAX_LINES - last.length;
  if (lines.length <= room) return text(...lines, ...last);
  return text(...lines.slice(0, room - 1), `… ${lines.length - room + 1} more`, ...last);
}

/** The choices that start with the typed text. */
export const beginning = (typed: string, choices: readonly Choice[]): Choice[] =>
  choices.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()));

/** Words to choose from. */
export const words = (typed: string, values: readonly string[]): Choice[] =>
  beginning(
    typed,
    values.map((value) => ({ value })),
  );

/** The first word and the rest. */
export function firstWord(args: string): [string, string] {
  const [, word = '', rest = ''] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(args) ?? [];
  return [word, rest];
}
