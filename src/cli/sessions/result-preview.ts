// The few lines of a call's result that are worth a look in a list of calls.
import { tellingLines } from '../../platform/text/telling-lines.js';

const MAX_COLUMNS = 100;
const MOST_TELLING = 3;

/** What test runners and package managers print before anything happens. */
const BANNER = /^\s*$|^TAP version \d+$|^\s*# Subtest: |^> \S/;

/** Of a failure, its first line and those that say what failed; otherwise the first line with content. */
export function resultPreview(text: string, isError: boolean): string[] {
  const lines = text.trim().split('\n');
  const start = lines.findIndex((line) => !BANNER.test(line));
  const first = start < 0 ? 0 : start;
  const telling = isError ? tellingLines(lines.join('\n'), MOST_TELLING) : [];
  const shown = [...new Set([...(telling.length > 0 && first > (telling[0] ?? 0) ? [] : [first]), ...telling])];
  return shown.map((index) => short((lines[index] ?? '').trim()));
}

const short = (line: string): string => (line.length > MAX_COLUMNS ? `${line.slice(0, MAX_COLUMNS - 1)}…` : line);
