import { resolve } from 'node:path';

/** The script that the user wants sourced before every command; undefined if no variable names one. */
export function environmentFile(env: Readonly<Record<string, string | undefined>>, root: string): string[] {
  const named = env['HELVE_ENV_FILE'] || env['CLAUDE_ENV_FILE'];
  return named ? [resolve(root, named)] : [];
}
