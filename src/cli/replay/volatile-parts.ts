// Parts of the output of tools and of programs that differ each time. docs/replay.md lists them. Each pattern includes
// the words around the volatile part, so that a meaningful number is never mistaken for one.
import type { ToolTraits } from '../../contract/tool-traits.js';

export interface VolatilePart {
  what: 'duration' | 'time of day' | 'details of a listing' | 'process id' | 'temporary name';
  /** The program that prints it. */
  by: string;
  /** Whether it is in the output of commands, or in the results of tools that change files. */
  in: 'commands' | 'changes';
  /** The volatile part is the group `part`, unless `plain` returns the rest of the match. */
  pattern: RegExp;
  plain?: (match: string) => string;
  example: string;
}

export const volatileParts: readonly VolatilePart[] = [
  {
    what: 'duration',
    by: "node's test runner",
    in: 'commands',
    pattern: /\bduration_ms:? (?<part>\d+(?:\.\d+)?)/g,
    example: 'duration_ms 71.52',
  },
  {
    what: 'duration',
    by: 'test runners, in parentheses at the end of a line',
    in: 'commands',
    pattern: /\((?<part>\d+(?:\.\d+)? ?(?:ms|s))\)$/gm,
    example: '✔ adds up (0.83ms)',
  },
  {
    what: 'duration',
    by: 'vitest',
    in: 'commands',
    pattern: /^ *(?:Duration|Start at) +(?<part>\d.*)$/gm,
    example: '   Duration  1.20s (transform 12ms)',
  },
  {
    what: 'duration',
    by: 'jest',
    in: 'commands',
    pattern: /^Time: +(?<part>\d+(?:\.\d+)? m?s)\b/gm,
    example: 'Time:        1.204 s',
  },
  {
    what: 'duration',
    by: 'pytest, cargo, rspec',
    in: 'commands',
    pattern:
      /\b(?:passed|failed|error|errors|warnings?|skipped|[Ff]inished|Ran \d+ tests?|target\(s\)) in (?<part>\d+(?:\.\d+)? ?(?:ms|s|seconds))\b/g,
    example: '3 passed in 0.12s',
  },
  {
    what: 'duration',
    by: 'go test',
    in: 'commands',
    pattern: /^(?:ok {2}|FAIL)\t\S+\t(?<part>\d+\.\d+s)/gm,
    example: 'ok  \texample.org/shop\t0.003s',
  },
  {
    what: 'duration',
    by: "the shell's time",
    in: 'commands',
    pattern: /^(?:real|user|sys)\s+(?<part>\d+m\d+\.\d+s)$/gm,
    example: 'real\t0m0.012s',
  },
  {
    what: 'details of a listing',
    by: 'ls -l: dates, the widths of columns, the sizes of folders and their sum, the folder above',
    in: 'commands',
    pattern:
      /^(?:total \S+(?=\n[-dlbcps][-rwxsStT]{9})|[-dlbcps][-rwxsStT]{9}\S* +\d+ +\S+ +\S+ +\S+ +[A-Z][a-z]{2} [ \d]\d (?:\d\d:\d\d| \d{4}) .*)$/gm,
    plain: plainListing,
    example: '-rw-r--r-- 1 me me 12 Nov 15 14:02 a.txt',
  },
  {
    what: 'process id',
    by: 'the shell, for a job',
    in: 'commands',
    pattern: /^\[\d+\] (?<part>\d+)$/gm,
    example: '[1] 4711',
  },
  {
    what: 'temporary name',
    by: 'mktemp',
    in: 'commands',
    pattern: /\/tmp\.(?<part>[A-Za-z0-9]{10})\b/g,
    example: '/tmp/tmp.x7Gh2kLq9Z',
  },
  {
    what: 'time of day',
    by: 'a change that is refused because the file has changed',
    in: 'changes',
    pattern: /\(read (?<part>\d\d:\d\d:\d\d, modified \d\d:\d\d:\d\d)\)/g,
    example: 'a.txt changed on disk after it was read (read 14:02:11, modified 14:03:40)',
  },
];

/** The text with placeholders for volatile parts, and which kinds of them it had. */
export function withoutVolatile(
  text: string,
  { printsCommands, family }: ToolTraits,
): { text: string; found: string[] } {
  const found = new Set<string>();
  let plain = text;
  for (const { what, in: place, pattern, plain: rest } of volatileParts) {
    if (place === 'commands' ? !printsCommands : family !== 'edit') continue;
    plain = plain.replace(pattern, (...match) => {
      const [whole] = match;
      const { part = '' } = match.at(-1) ?? {}; // the named groups come last
      found.add(what);
      return rest ? rest(whole) : whole.replace(part, `<${what}>`);
    });
  }
  return { text: plain, found: [...found] };
}

/** One line of `ls -l`: mode, links, owner and group are kept, and so are the size of a file and its name. */
function plainListing(line: string): string {
  const fields = /^(\S+) +(\d+) +(\S+) +(\S+) +(\S+) +\S+ +\d+ +\S+ (.*)$/.exec(line);
  if (!fields) return 'total <details of a listing>';
  const [, mode = '', links = '', owner = '', group = '', size = '', name = ''] = fields;
  if (name === '..') return '<details of a listing> ..';
  return [mode, links, owner, group, mode.startsWith('d') ? '' : size, '<details of a listing>', name].join(' ');
}
