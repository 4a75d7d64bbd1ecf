import { safeCut } from '../../platform/text/truncate.js';
import { codePoint } from './match/look-alikes.js';

const MAX_LINES = 5;
const MAX_LINE_CHARS = 200;

/**
 * The differing lines of what was sent and what is there, with whitespace made visible. Empty if that shows nothing.
 */
export function showDifference(
  { sent, there }: { sent: readonly string[]; there: readonly string[] },
  firstLine: number,
): string {
  const shown: string[] = [];
  for (let index = 0; index < Math.max(sent.length, there.length) && shown.length < MAX_LINES; index += 1) {
    const [ours, theirs] = [sent[index], there[index]];
    if (ours === theirs) continue;
    const marked = ours !== undefined && theirs !== undefined && withoutBlanks(ours) === withoutBlanks(theirs);
    const side = (name: string, line: string | undefined): string =>
      `${firstLine + index} ${name}: ${line === undefined ? '(no line)' : visibleBlanks(line, marked ? 'all' : 'edges')}`;
    shown.push(`${side('sent', ours)}\n${side('file', theirs)}`);
  }
  return shown.length === 0 ? '' : `\nSent and in the file (→ is a tab, · a blank):\n${shown.join('\n')}`;
}

const withoutBlanks = (line: string): string => line.replace(/\s+/g, '');

function visibleBlanks(line: string, where: 'all' | 'edges'): string {
  const cut = line.length > MAX_LINE_CHARS ? `${line.slice(0, safeCut(line, MAX_LINE_CHARS))} …` : line;
  const mark = (blanks: string): string => blanks.replaceAll('\t', '→').replaceAll(' ', '·');
  const marked = where === 'all' ? mark(cut) : cut.replace(/^[ \t]+|[ \t]+$/g, mark);
  return marked.replace(
    /[\u00a0\u00ad\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff]/g,
    (one) => `[${codePoint(one)}]`,
  );
}
