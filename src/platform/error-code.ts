/** The code of an error of the system, such as `ENOENT`; undefined for any other value. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
