// The few lines of a call's result that are worth a look in a list of calls.
import { bannerLines, summaryLines } from '../../platform/text/summary-lines.js';
import { tellingLines } from '../../platform/text/telling-lines.js';

const MAX_COLUMNS = 100;
const MOST_TELLING = 3;

/** Of a failure, its first line and those that say what failed; otherwise the sum of a test run, or the first line with content. */
export function resultPreview(text: string, isError: boolean): string[] {
  const lines = text.trim().split('\n');
  const first = bannerLines(lines.join('\n'));
  const sums = isError ? [] : summaryLines(lines.join('\n'), MOST_TELLING);
  const telling = isError ? tellingLines(lines.join('\n'), MOST_TELLING) : sums;
  const shown = [
    ...new Set([...(sums.length > 0 || (telling.length > 0 && first > (telling[0] ?? 0)) ? [] : [first]), ...telling]),
  ];
  return shown.map((index) => short((lines[index] ?? '').trim()));
}

const short = (line: string): string => (line.length > MAX_COLUMNS ? `${line.slice(0, MAX_COLUMNS - 1)}…` : line);
