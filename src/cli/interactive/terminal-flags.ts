// Apart from run-flags.ts, whose flags are on the help page of -p.

/** Flags that apply only at the terminal. */
export const terminalFlags = { 'screen-reader': { type: 'boolean' } } as const;
