// Which parts of a command a question points out.
import type { PermissionQuestion, Risk } from '../contract/permission.js';

/** A part of a command to highlight. */
export interface MarkedPart {
  text: string;
  level: Risk['level'];
}

/** For each character, the level of the part that it is in. */
export type Mark = Risk['level'] | undefined;

/** The commands that are risky, that the decision is based on, or that were added to an allowed one. */
export function partsInQuestion({ decision, effects, risks }: PermissionQuestion): MarkedPart[] {
  const deciding = (decision.trail ?? []).flatMap(({ decided, effect = -1 }) => {
    const command = decided ? effects[effect] : undefined;
    return command?.kind === 'command' ? [command.text] : [];
  });
  const asked = [...deciding, decision.injection?.part ?? ''].filter((text) => text !== '');
  return [
    ...risks.flatMap(({ part, level }) => (part === undefined ? [] : [{ text: part, level }])),
    // A single command needs no mark: all of it is in question.
    ...(effects.filter(({ kind }) => kind === 'command').length > 1 || decision.injection ? asked : []).map((text) => ({
      text,
      level: 'notable' as const,
    })),
  ];
}

/** The parts as they stand in the lines; `shown` makes a line of a part visible in the same way as those. */
export const partsAsWritten = (
  parts: readonly MarkedPart[],
  lines: readonly string[],
  shown: (line: string) => string,
): MarkedPart[] =>
  distinct(parts)
    .flatMap((part) => eachLine(part, shown))
    .flatMap((part) => asWritten(part, lines));

const eachLine = ({ text, level }: MarkedPart, shown: (line: string) => string): MarkedPart[] =>
  text
    .split('\n')
    .map((line) => ({ text: shown(line), level }))
    .filter((part) => part.text.trim() !== '');

/** Several risks of one command name the same part. */
const distinct = (parts: readonly MarkedPart[]): MarkedPart[] => [
  ...new Map(parts.map((part) => [`${part.level} ${part.text}`, part])).values(),
];

/** An analysed command may be quoted otherwise than it was typed: then its first words are highlighted. */
function asWritten({ text, level }: MarkedPart, lines: readonly string[]): MarkedPart[] {
  const words = text.split(' ');
  const start = (count: number): string => words.slice(0, count).join(' ');
  // If a line contains the first words, it contains fewer of them too, so the longest beginning is found by bisection.
  let [found, missing] = [0, words.length + 1];
  while (missing - found > 1) {
    const middle = (found + missing) >>> 1;
    if (lines.some((line) => line.includes(start(middle)))) found = middle;
    else missing = middle;
  }
  const written = start(found);
  return written === '' ? [] : [{ text: written, level }];
}

/** For each character, the level of the part that it is in; the higher one counts. */
export function marksIn(line: string, parts: readonly MarkedPart[]): Mark[] {
  const marks: Mark[] = Array.from({ length: line.length }, () => undefined);
  for (const level of ['notable', 'high'] as const) {
    for (const part of parts.filter((each) => each.level === level)) {
      for (let at = line.indexOf(part.text); at !== -1; at = line.indexOf(part.text, at + part.text.length)) {
        if (isWholeWord(line, at, part.text)) marks.fill(level, at, at + part.text.length);
      }
    }
  }
  return marks;
}

/** `rm` is not a part of `format`. */
const isWholeWord = (line: string, at: number, part: string): boolean =>
  !/\w/.test(line[at - 1] ?? '') && !(/\w$/.test(part) && /\w/.test(line[at + part.length] ?? ''));
