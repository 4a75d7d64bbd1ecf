import type { Paint } from '../screen/theme.js';

const EDGE = /^[┌├└][─┬┼┴]+[┐┤┘]$/;

/**
 * Restyles the tables that pi-tui has drawn: borders in the muted style, and no separators if all rows have one line.
 */
export function quietTables(lines: readonly string[], paint: Paint): string[] {
  const result: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const end = lines[at]?.startsWith('┌')
      ? lines.indexOf(`└${(lines[at] ?? '').slice(1, -1).replaceAll('┬', '┴')}┘`, at)
      : -1;
    if (end === -1) {
      result.push(lines[at] ?? '');
      continue;
    }
    result.push(...quietTable(lines.slice(at, end + 1), paint));
    at = end;
  }
  return result;
}

function quietTable(lines: readonly string[], paint: Paint): string[] {
  const below = lines.findIndex((line) => line.startsWith('├')); // the line below the header
  const isSimple = lines.every((line, at) => at <= below || EDGE.test(line) || EDGE.test(lines[at + 1] ?? ''));
  return lines
    .filter((line, at) => !(isSimple && at > below && line.startsWith('├')))
    .map((line) => (EDGE.test(line) ? paint.border(line) : line.replaceAll('│', paint.border('│'))));
}
