const INVENTED = /example|placeholder|your|redacted|change[-_]?me|dummy|sample|insert|replace|x{4}|0{8}|\*{3}|<|\$\{/i;

// The well-known key of a storage emulator, documented in its manual.
const EMULATOR_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq';

/** Whether the text is marked as a placeholder. Issued secrets are random and don't contain such words. */
export const looksInvented = (text: string): boolean =>
  INVENTED.test(text.slice(0, 200)) || text.startsWith(EMULATOR_KEY);
