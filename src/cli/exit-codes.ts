export const exitCode = { ok: 0, failed: 1, usage: 2, hungUp: 129, interrupted: 130, terminated: 143 } as const;
