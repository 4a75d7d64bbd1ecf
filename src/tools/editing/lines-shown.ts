import type { SeenFile } from '../../contract/tool-context.js';
import { covers, joinRanges, type LineRange } from './match/line-ranges.js';
import type { TextLines } from './match/text-lines.js';

/** What may precede the lines of a file in an output. */
export interface LinePrefixes {
  /** The file name that programs print before lines; suffixes of it count too. */
  name?: string;
  /** Lines may come from a patch, with a space or a plus before them. */
  isPatch?: boolean;
  /** No numbers or names precede the lines: text that looks like one is part of the line. */
  isPlain?: boolean;
}

/**
 * The lines of the text that are complete in the output: identified by a line number, or because they occur once in the
 * text, and then also the lines next to those. An ambiguous line counts only that way.
 */
export function linesShown(text: TextLines, output: string, shape: LinePrefixes = {}): SeenFile['lines'] {
  const lines = Array.from({ length: text.lineCount }, (_, index) => text.line(index + 1));
  const end = lines.findLastIndex((line) => line.trim() !== '') + 1; // trailing blank lines are rarely printed
  if (end === 0 || output === '') return [];
  const shown = output.split('\n').map((line) => line.replace(/\r$/, ''));
  const whole = `\n${lines.slice(0, end).join('\n')}\n`;
  if (`\n${shown.join('\n')}\n`.includes(whole)) return 'all';
  const ranges = aligned(lines, shown, shape);
  return covers(ranges, [1, end]) ? 'all' : ranges;
}

function aligned(lines: readonly string[], shown: readonly string[], shape: LinePrefixes): LineRange[] {
  const forms = shown.map((line) => formsOf(line, shape));
  const only = onlyPlaces(lines);
  const seen = new Set<number>(); // 0-based, like `lines`
  const matched = new Map<number, number>();
  const fits = (at: number, index: number): boolean =>
    forms[at]?.some(({ text }) => text === lines[index]) === true && index < lines.length;
  const follow = (from: number, start: number, step: 1 | -1): void => {
    let [at, index] = [from, start];
    while (fits(at, index) && matched.get(at) !== index) {
      matched.set(at, index);
      seen.add(index);
      at += step;
      index += step;
    }
  };
  for (const [at, possible] of forms.entries()) {
    for (const { text, number } of possible) {
      const index = number !== undefined && lines[number - 1] === text ? number - 1 : only.get(text);
      if (index === undefined || index < 0 || matched.get(at) === index) continue;
      follow(at - 1, index - 1, -1);
      follow(at, index, 1);
    }
  }
  return joinRanges([...seen].map((index) => [index + 1, index + 1]));
}

/** The index of each line that occurs once; -1 for the others. */
function onlyPlaces(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, line] of lines.entries()) places.set(line, places.has(line) ? -1 : index);
  return places;
}

interface Form {
  text: string;
  number?: number;
}

/** The parts of a printed line that may be a line of the file: all of it, or what follows a number, a name or both. */
function formsOf(line: string, { name, isPatch, isPlain }: LinePrefixes): Form[] {
  const forms: Form[] = [{ text: line }];
  if (isPlain) return forms;
  const numbered = /^ *(\d+)(?:\t|→)(.*)$/s.exec(line) ?? /^(\d+)[:-](.*)$/s.exec(line);
  if (numbered) forms.push({ number: Number(numbered[1]), text: numbered[2] ?? '' });
  if (name !== undefined) {
    const at = line.startsWith(name) ? 0 : line.indexOf(`/${name}`) + 1;
    const rest = at === 0 && !line.startsWith(name) ? '' : line.slice(at + name.length);
    const behind = /^([:-])(?:(\d+)\1)?/.exec(rest);
    if (behind) forms.push({ text: rest.slice(1) });
    if (behind?.[2]) forms.push({ number: Number(behind[2]), text: rest.slice(behind[0].length) });
  }
  if (isPatch && /^[ +]/.test(line)) forms.push({ text: line.slice(1) });
  return forms;
}
