// From the output of ripgrep to what was found in which file.
import { type FileMatches, SEPARATOR, type SearchOptions, type SearchOutcome, type TextQuery } from './query.js';
import type { RipgrepOutcome } from './run-ripgrep.js';

interface Group extends FileMatches {
  lines: string[];
}

const NO_LINES: string[] = []; // shared by all files whose lines are not wanted

interface Groups {
  readonly groups: Map<string, FileMatches>;
  /** Receives complete records. */
  take(output: string): void;
  /** The end of the output. */
  finish(): void;
}

/** Parses ripgrep's output for each file. A path ends with NUL, so that no name can be mistaken for something else. */
export function groupsByFile(
  { mode }: TextQuery,
  isWanted: (file: string) => boolean,
  onFiles: SearchOptions['onFiles'],
): Groups {
  const groups = new Map<string, Group>();
  let current: Group = { lines: [], matches: 0 };
  let lastPath = '';
  const group = (path: string): Group => {
    const file = withoutDot(path);
    const known = groups.get(file);
    if (known) return known;
    const started: Group = { lines: mode === 'content' ? [] : NO_LINES, matches: 0 };
    if (isWanted(file)) groups.set(file, started);
    return started;
  };
  const takeNames = (output: string): void => {
    const found = output.split('\0').filter(Boolean).map(withoutDot).filter(isWanted);
    for (const file of found) groups.set(file, { lines: NO_LINES, matches: 1 });
    onFiles?.(found);
  };
  const takeLines = (output: string): void => {
    for (let at = 0; at < output.length; ) {
      const end = lineEnd(output, at);
      const split = output.indexOf('\0', at);
      if (split === -1 || split > end) {
        const own = record(output, at, end);
        const binary = BINARY.exec(own)?.[1];
        if (binary !== undefined || own === SEPARATOR || split === -1) {
          if (binary !== undefined) Object.assign(group(binary), { lines: [], matches: 1, isBinary: true });
          else if (own === SEPARATOR) current.lines.push(own);
          at = end + 1;
          continue;
        }
      }
      // A name may contain newlines: it ends at the NUL, and only a newline after that ends the record.
      const path = output.slice(at, split);
      const last = split < end ? end : lineEnd(output, split);
      const told = record(output, split + 1, last);
      at = last + 1;
      if (path !== lastPath) {
        lastPath = path;
        current = group(path);
      }
      if (mode === 'count') current.matches += Number(told);
      else {
        if (isMatch(told)) current.matches += 1;
        current.lines.push(told);
      }
    }
  };
  return {
    groups,
    take: mode === 'files_with_matches' ? takeNames : takeLines,
    finish() {
      // Ripgrep also writes a separator before the next file, which belongs to neither.
      for (const { lines } of groups.values()) if (lines.at(-1) === SEPARATOR) lines.pop();
    },
  };
}

const BINARY = /^(.*): binary file matches \(found /;

/** Without the \r that ripgrep leaves in place, or ends its own lines with. */
const record = (text: string, from: number, end: number): string =>
  text.slice(from, text[end - 1] === '\r' ? end - 1 : end);

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline;
}

/** A match has a colon after its line number, context a dash. */
function isMatch(line: string): boolean {
  for (let at = 0; ; at += 1) {
    const code = line.charCodeAt(at);
    if (code < 48 || code > 57 || Number.isNaN(code)) return code === 58;
  }
}

export const withoutDot = (path: string): string => (path.startsWith('./') ? path.slice(2) : path);

export const searchOutcome = ({ stopped, complaints }: RipgrepOutcome, file?: string): SearchOutcome => ({
  stopped,
  unreadable: complaints.map(
    (line) =>
      file ?? withoutDot((/\(os error \d+\)$/.test(line) ? /^(?:rg: )?(.*?): /.exec(line)?.[1] : undefined) ?? line),
  ),
});
