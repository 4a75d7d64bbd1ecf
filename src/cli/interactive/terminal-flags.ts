/** Flags that apply only at the terminal. */
export const terminalFlags = { 'screen-reader': { type: 'boolean' } } as const;
