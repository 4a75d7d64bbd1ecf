import type { ChildProcess, SpawnOptions } from 'node:child_process';

/**
 * Starts a program, never through a shell. `child_process` is loaded with the first one, not at start-up. Throws if
 * too many files are open: Node then returns a child that has neither `stdio` nor a process id.
 */
export function startProcess(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = process.getBuiltinModule('node:child_process').spawn(program, args, options);
  if (child.stdio !== undefined) return child;
  child.on('error', () => {}); // the same failure, reported twice
  throw Object.assign(new Error(`${program} could not be started: too many files are open`), { code: 'EMFILE' });
}
