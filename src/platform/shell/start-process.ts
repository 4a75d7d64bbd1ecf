import type { ChildProcess, SpawnOptions } from 'node:child_process';

/** Starts a program, never through a shell. The code for it is loaded with the first one, not with the start of Helve. */
export function startProcess(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return process.getBuiltinModule('node:child_process').spawn(program, args, options);
}
