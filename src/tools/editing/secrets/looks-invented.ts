const INVENTED = /example|placeholder|your|redacted|change[-_]?me|dummy|sample|insert|replace|x{4}|0{8}|\*{3}|<|\$\{/i;

// The key of a storage emulator, printed in its manual and the same everywhere.
const EMULATOR_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq';

/** Whether the text says of itself that it is no secret. Issued secrets are random: such words are not in them. */
export const looksInvented = (text: string): boolean =>
  INVENTED.test(text.slice(0, 200)) || text.startsWith(EMULATOR_KEY);
