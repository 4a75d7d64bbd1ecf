export const exitCode = { ok: 0, failed: 1, usage: 2, interrupted: 130, terminated: 143 } as const;
