import { closeSync, writeSync } from 'node:fs';
import type { OutputPipe } from './output-pipe.js';
import { signalGroup } from './process-group.js';
import { killTreeSoon, type ProcessTree } from './process-tree.js';
import type { ShellLine, ShellProcess } from './shell-process.js';

const MAX_REPORT_CHARS = 64 * 1024; // paths are at most 4,096 long

/** A running bash that has its output pipe and waits for its one command. It does not keep this process alive. */
export interface ReadyShell {
  readonly child: ShellProcess;
  /** The shell and all its descendants. */
  readonly tree: ProcessTree;
  readonly exited: Promise<unknown>;
  readonly pipe: OutputPipe;
  /** Sends it the command, once. From now on it keeps this process alive. */
  run(task: ShellTask): void;
  /** Its report at the end. Call it once, when it has exited or is abandoned. */
  readReport(): ShellReport;
  /**
   * Resolves when the control channel has no writer left: the shell and all its descendants have ended, including
   * detached processes, except those that close all inherited descriptors.
   */
  readonly allEnded: Promise<void>;
  /** Always call it when the shell is over: removes temporary resources. */
  ended(): Promise<unknown>;
  /** Ends an unused shell. Resolves when it and the program around it are gone. */
  discard(): Promise<void>;
  /** Whether its sandbox is still up to date; absent if it can't become outdated. */
  isCurrent?(): boolean;
}

export interface ShellTask {
  cwd: string;
  /** A script that is sourced first, if it exists. */
  sourceFile: string;
  command: string;
  /** Variables for this task alone, beside those that the shell already has. */
  env?: Readonly<Record<string, string>>;
}

export interface ShellReport {
  /** False if it never reached the command, because the directory could not be entered. */
  begun: boolean;
  /** Its last working directory; absent if it could not report it. */
  directory?: string;
}

export function readyShell({
  control,
  file,
  ...shell
}: Pick<ReadyShell, 'child' | 'tree' | 'exited' | 'pipe' | 'ended'> & {
  control: ShellLine;
  file: number;
}): ReadyShell {
  let isUsed = false;
  let report = '';
  // Commands can write to it as well, so it is only a hint, and limited.
  control.listen((said) => {
    if (isUsed && report.length < MAX_REPORT_CHARS) report += said;
  });
  return {
    ...shell,
    allEnded: control.closed,
    run({ cwd, sourceFile, command, env = {} }) {
      const fields = [cwd, sourceFile, ...Object.entries(env).flatMap(checkedVariable), '', command];
      shell.child.ref();
      writeSync(file, `${fields.join('\0')}\0`, 0);
      closeSync(file);
      isUsed = true;
      control.end('\n');
    },
    readReport() {
      control.unref(); // it closes by itself when its last writer has ended
      const [begun, ...directories] = report.split('\n\0').slice(0, -1); // complete reports end like this
      const directory = directories.at(-1); // later reports override earlier ones
      return { begun: begun !== undefined, ...(directory !== undefined && { directory }) };
    },
    async discard() {
      // Before its command a shell has started no process that could have left its group, except for the program
      // around it.
      if (!isUsed && !shell.tree.politeGroup) signalGroup(shell.tree.group, 'SIGKILL');
      else await killTreeSoon(shell.tree);
      control.destroy();
      shell.pipe.close();
      if (!isUsed) closeSync(file);
      await Promise.allSettled([shell.ended(), gone(shell.child)]);
    },
  };
}

/** Resolves when the killed process has ended. */
export async function gone(child: ShellProcess): Promise<void> {
  child.ref();
  await child.exited;
}

function checkedVariable([name, value]: [string, string]): [string, string] {
  if (/^[A-Za-z_]\w*$/.test(name) && !value.includes('\0')) return [name, value];
  throw new TypeError(
    `A shell can't be given the variable ${JSON.stringify(name)}: the name must match [A-Za-z_]\\w* and the value must not contain NUL.`,
  );
}
