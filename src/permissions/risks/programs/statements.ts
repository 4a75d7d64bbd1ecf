// Whether SQL only reads, judged by the first word of each statement: a column may be called `update`.
import { type CommandLine, optionValues } from '../command-line.js';

const READING =
  /^(select|show|explain|describe|desc|values|table|use|begin|commit|rollback|end|with|pragma|from|summarize|list|\\[dlzc?]|\.(tables|schema|databases|mode|headers?|indexes|indices|dump|width|timer|quit|exit|help|show|stats))\b/i;
/** What changes something within a statement that begins like one that reads. */
const CHANGE_WITHIN: Readonly<Record<string, RegExp>> = {
  with: /\b(insert\s+into|update\s+\S+\s+set|delete\s+from|merge\s+into)\b/i,
  explain: /\banalyz?e\b[^;]*\b(insert|update|delete|merge)\b/i,
  select:
    /\binto\s|\b(pg_(terminate|cancel|reload|rotate|read|write|ls)\w*|setval|lo_\w+|dblink\w*|load_extension|writefile)\s*\(/i,
  pragma: /=/,
};

/** A text that is not known to its end may change anything. */
export const changesData = (text: string): boolean => text.endsWith('…') || statementsIn(text).some(isChange);

/** Without comments and texts, which may contain anything. */
const statementsIn = (text: string): string[] =>
  text
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/--[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/|$)/g, ' ')
    .split(/;|\n(?=[\\.])/)
    .map((part) => part.trim().replace(/^\(+/, ''))
    .filter((part) => part !== '');

function isChange(text: string): boolean {
  if (!READING.test(text) && !/^\\(d\S*|l\S*|z|x|timing|conninfo|pset|q)(\s|$)/.test(text)) return true;
  const first = /^\w+/.exec(text)?.[0].toLowerCase() ?? '';
  return (Object.hasOwn(CHANGE_WITHIN, first) ? CHANGE_WITHIN[first] : undefined)?.test(text) === true;
}

/** The statements of a command line; `…` stands for one that is not known. */
export function statementsOf(line: CommandLine): string[] {
  const { name, operands } = line;
  if (/^(sqlite3|duckdb)$/.test(name)) return [...optionValues(line, /^(-cmd|-c|-s)$/), ...operands.slice(1)];
  if (name === 'bq') return operands[0] === 'query' ? operands.slice(1) : [];
  if (name === 'sqlcmd') return optionValues(line, /^(-q|-Q|--query)$/);
  if (/^(mysql|mariadb|mycli|cockroach)$/.test(name)) return optionValues(line, /^(-e|--execute)$/);
  return optionValues(line, /^(-c|--command|-q|--query)$/);
}
