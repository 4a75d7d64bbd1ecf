/** The rows as lines with aligned columns. */
export function table(rows: ReadonlyArray<readonly string[]>, { indent = '  ' } = {}): string[] {
  const columns = Math.max(...rows.map((row) => row.length), 0);
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return `${indent}${cells.join('  ')}`.trimEnd();
  });
}
