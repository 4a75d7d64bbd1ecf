/** The columns of the terminal that stdout is; undefined for a pipe or a file, whose lines are not wrapped. */
export const terminalWidth = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns : undefined);
