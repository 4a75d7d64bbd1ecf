const USUAL_COLUMNS = 80;

/** The columns of the terminal that stdout is; undefined for a pipe or a file, whose lines are not wrapped. */
export const terminalWidth = (): number | undefined => (process.stdout.isTTY ? columnsOf(process.stdout) : undefined);

/** A terminal that does not know its size reports 0 columns. */
export const columnsOf = ({ columns }: { columns?: number }): number => columns || USUAL_COLUMNS;
