/** What holds for a conversation at the terminal alone. */
export const terminalFlags = { 'screen-reader': { type: 'boolean' } } as const;
