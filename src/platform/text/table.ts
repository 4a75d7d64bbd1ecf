const MIN_LAST_COLUMN = 20;

/** The rows as lines with aligned columns. With `width`, the last column is wrapped at words to fit into it. */
export function table(
  rows: ReadonlyArray<readonly string[]>,
  { indent = '  ', width = Number.POSITIVE_INFINITY }: { indent?: string; width?: number | undefined } = {},
): string[] {
  const columns = Math.max(...rows.map((row) => row.length), 0);
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const before = widths.slice(0, -1).reduce((sum, column) => sum + column + 2, indent.length);
  const room = Math.max(width - before, MIN_LAST_COLUMN);
  return rows.flatMap((row) => {
    const isFull = row.length === columns;
    const cells = (isFull ? row.slice(0, -1) : row).map((cell, column) => cell.padEnd(widths[column] ?? 0));
    const [first = '', ...more] = isFull ? wrapped(row.at(-1) ?? '', room) : [''];
    const line = `${indent}${[...cells, ...(isFull ? [first] : [])].join('  ')}`.trimEnd();
    return [line, ...more.map((text) => `${' '.repeat(before)}${text}`)];
  });
}

/** The text in lines of at most this width, broken between words. A longer word stays whole. */
export function wrapped(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
