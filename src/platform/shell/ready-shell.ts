import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { type OutputPipe, openOutputPipe } from './output-pipe.js';
import { signalGroup } from './process-group.js';
import { killTreeSoon, MARK_VARIABLE, type ProcessTree, withMark } from './process-tree.js';
import { shellScript } from './shell-script.js';
import { startProcess } from './start-process.js';

const MAX_REPORT_CHARS = 64 * 1024; // paths are at most 4,096 long
const FREE_DESCRIPTOR = 5; // after the standard three, the control line and the task

/** A bash that has started, has its output pipe and waits for its one command. It does not keep this process alive. */
export interface ReadyShell {
  readonly child: ChildProcess;
  /** It and all that it starts. */
  readonly tree: ProcessTree;
  readonly exited: Promise<unknown>;
  readonly pipe: OutputPipe;
  /** Gives it the command, once. From now on it keeps this process alive. */
  run(task: ShellTask): void;
  /** What it had to say at its end. Call it once, when it has exited or is given up. */
  readReport(): ShellReport;
  /**
   * Resolves when the control line has no writer left: it and everything that it started have ended, detached processes
   * too, but for those that close all descriptors they inherit.
   */
  readonly allEnded: Promise<void>;
  /** To be called when it is over, whatever became of it: takes away what was needed only while it ran. */
  ended(): Promise<unknown>;
  /** Ends one that was not used. Resolves when it is gone, with what was around it. */
  discard(): Promise<void>;
  /** Whether what it encloses is still right; absent where nothing in it can become wrong. */
  isCurrent?(): boolean;
}

export interface ShellTask {
  cwd: string;
  /** A script that is sourced first, where it exists. */
  sourceFile: string;
  command: string;
  /** Variables for this task alone, beside those that the shell has already. */
  env?: Readonly<Record<string, string>>;
}

export interface ShellReport {
  /** False when it never came to the command, since the directory could not be entered. */
  begun: boolean;
  /** Where it was last; absent when it could not say. */
  directory?: string;
}

/** The start of bash as it would be by itself. */
export interface ShellCommand {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Environment;
  freeDescriptor: number;
  folder: string;
}

/**
 * Turns the start of bash into that of another program that runs it, such as a sandbox. Inside, `folder` must be
 * reachable by the same path and writable, since bash makes its pipe there, and so must /dev/null. The environment and
 * the descriptors below `freeDescriptor` have to reach bash as they are.
 */
export interface WrapShell {
  /**
   * The walls are complete at the start, and the same for every wrap of this name: a shell can be kept ready with them.
   * Its output pipe is handed to it, and it can write nothing in `folder`.
   */
  readonly completeAs?: string;
  /** A program that was started ahead by one of these fits every other one of the same name. Absent: it fits none. */
  readonly aheadAs?: string;
  start(command: ShellCommand): Promise<WrappedShell>;
  /** Lets a program of its own kind begin, with the walls of this command. Absent where they are there from the start. */
  applyPolicy?(shell: WrappedShell, about: { folder: string; tell(text: string): void }): Promise<void>;
}

export interface WrappedShell {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Environment;
  /** Our descriptors that the program needs, from `freeDescriptor` on; `pipe` is the one that it is told its walls by. */
  descriptors: ReadonlyArray<number | 'pipe'>;
  /** Called once the program was started, or could not be. */
  started(): void;
  /** The process group of bash itself, by the id of the program. */
  group(child: number): number | undefined;
  /** Called when it is over. */
  ended(): Promise<unknown>;
  /** Whether what it encloses is still right, for one that was started ahead with its walls complete. */
  isCurrent?(): boolean;
}

export interface ShellOptions {
  env: Environment;
  /** The names that shells after it will use, whose pipes can be made along with its own. */
  nextNames?: readonly string[] | undefined;
  /** It is not needed yet, so what can be done outside, where it does not hold up the command, is done there. */
  isAhead?: boolean;
  /** What everything that it starts is known by. */
  mark: string;
  wrap?: WrapShell | undefined;
}

/** A program that was started and may still have to be told its walls, before bash can begin in it. */
export interface BegunShell {
  readonly child: ChildProcess;
  /** With the walls of this one command. Ends it where that fails. */
  open(wrap: WrapShell | undefined): Promise<ReadyShell>;
  /** Ends it. Resolves when it is gone, with what was around it. */
  discard(): Promise<void>;
}

/**
 * Starts a bash. `name` is a path in a private folder that nobody else uses: for a moment it is the name of the pipe.
 *
 * Starting a program is what takes longest in a small command, and Node has no call that makes a named pipe. So bash makes
 * the pipe, which it does quicker than we could, with those of the shells after it, and all of that can happen before
 * there is a command. The task comes
 * in a file without a name, byte for byte and of any length; the report comes back on the control line. If this process dies,
 * the waiting shell sees the end of its control line and ends too.
 */
export async function startShell(name: string, options: ShellOptions): Promise<ReadyShell> {
  return await (await beginShell(name, options)).open(options.wrap);
}

/** The first part of it: what can be done before the walls are known. */
export async function beginShell(name: string, options: ShellOptions): Promise<BegunShell> {
  const { env, mark, wrap, isAhead, nextNames = [] } = options;
  const names = [name, ...nextNames];
  const folder = dirname(name);
  const { file, readOnly } = openTask(`${name}-task`);
  let wrapped: WrappedShell | undefined;
  try {
    const bash = {
      program: 'bash',
      args: ['--noprofile', '--norc', '-c', shellScript({ opensPipe: true }), 'bash', ...names],
      cwd: '/',
      env: { ...shellEnvironment(env), [MARK_VARIABLE]: withMark(env[MARK_VARIABLE], mark) },
    };
    wrapped = await wrap?.start({ ...bash, freeDescriptor: FREE_DESCRIPTOR, folder });
    const { program, args, cwd, env: environment } = wrapped ?? bash;
    const { descriptors = [] } = wrapped ?? {};
    const child = startProcess(program, args, {
      cwd,
      env: environment,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', readOnly, ...descriptors],
      detached: true,
    });
    closeSync(readOnly);
    wrapped?.started();
    const pipeMade = isAhead && !existsSync(name) ? makePipes(names, bash.env) : undefined;
    const exited = once(child, 'exit');
    exited.catch(() => undefined); // a start that fails is told by the wait just below
    const control = child.stdio[3];
    const { pid } = child;
    if (pid === undefined || !(control instanceof Socket)) {
      await exited;
      throw new Error('bash was started without a process id');
    }
    child.unref();
    control.unref();
    const wallsLine = child.stdio[FREE_DESCRIPTOR + descriptors.indexOf('pipe')];
    const walls = descriptors.includes('pipe') && wallsLine instanceof Socket ? wallsLine : undefined;
    walls?.on('error', () => {}); // it ends with the program, whose exit is what counts
    walls?.unref();
    const shell = wrapped;
    const tree = { group: pid, mark, ...(shell && { politeGroup: () => shell.group(pid) }) };
    const ended = async (): Promise<unknown> => await shell?.ended().catch(() => undefined);
    let mayHaveLeft = false; // its group: once it goes on, a program such as a sandbox may start others
    const discard = async (): Promise<void> => {
      if (mayHaveLeft) await killTreeSoon(tree);
      else signalGroup(pid, 'SIGKILL');
      control.destroy();
      walls?.destroy();
      closeSync(file);
      const removed = Promise.resolve(pipeMade).then(() => rmSync(name, { force: true }));
      await Promise.allSettled([removed, ended(), gone(child, exited)]);
    };
    return {
      child,
      discard,
      async open(using) {
        try {
          const tell = (text: string): void => void walls?.end(text);
          mayHaveLeft = shell !== undefined;
          await pipeMade;
          if (shell) await using?.applyPolicy?.(shell, { folder, tell });
          const pipe = await connect(child, control, name, exited);
          return readyShell({ child, tree, exited, pipe, ended, control, file });
        } catch (error) {
          await discard();
          throw error;
        }
      },
    };
  } catch (error) {
    closeSync(file);
    await wrapped?.ended();
    throw error;
  }
}

/**
 * Starts a bash whose walls are complete from the start. Its output pipe is opened here and handed to it, since inside it
 * finds no folder that it could make one in. Where the walls can't be built, it says so in its output and ends.
 */
export async function startCompleteShell(
  name: string,
  options: ShellOptions & { wrap: WrapShell },
): Promise<ReadyShell> {
  const { env, mark, wrap, nextNames = [] } = options;
  if (!existsSync(name)) await makePipes([name, ...nextNames], shellEnvironment(env));
  const pipe = openOutputPipe(name);
  const { file, readOnly } = openTask(`${name}-task`);
  let output: number | undefined;
  let wrapped: WrappedShell | undefined;
  try {
    output = openSync(name, constants.O_WRONLY | constants.O_NOFOLLOW);
    pipe.closeWriteEnd();
    unlinkSync(name);
    wrapped = await wrap.start({
      program: 'bash',
      args: ['--noprofile', '--norc', '-c', shellScript({ opensPipe: false }), 'bash'],
      cwd: '/',
      env: { ...shellEnvironment(env), [MARK_VARIABLE]: withMark(env[MARK_VARIABLE], mark) },
      freeDescriptor: FREE_DESCRIPTOR,
      folder: dirname(name),
    });
    const descriptors = wrapped.descriptors.filter((one) => one !== 'pipe');
    const child = startProcess(wrapped.program, wrapped.args, {
      cwd: wrapped.cwd,
      env: wrapped.env,
      stdio: ['ignore', output, output, 'pipe', readOnly, ...descriptors],
      detached: true,
    });
    wrapped.started();
    const exited = once(child, 'exit');
    exited.catch(() => undefined); // a start that fails is told just below
    const control = child.stdio[3];
    const { pid } = child;
    if (pid === undefined || !(control instanceof Socket)) {
      await exited;
      throw new Error('bash was started without a process id');
    }
    child.unref();
    control.unref();
    control.on('error', () => {}); // it ends with the shell, whose exit is what counts
    const shell = wrapped;
    const tree = { group: pid, mark, politeGroup: () => shell.group(pid) };
    const ended = (): Promise<unknown> => shell.ended().catch(() => undefined);
    const { isCurrent } = shell;
    return { ...readyShell({ child, tree, exited, pipe, ended, control, file }), ...(isCurrent && { isCurrent }) };
  } catch (error) {
    pipe.close();
    closeSync(file);
    await wrapped?.ended();
    throw error;
  } finally {
    closeSync(readOnly);
    if (output !== undefined) closeSync(output);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

function readyShell({
  control,
  file,
  ...shell
}: Pick<ReadyShell, 'child' | 'tree' | 'exited' | 'pipe' | 'ended'> & { control: Socket; file: number }): ReadyShell {
  let isUsed = false;
  let report = '';
  const allEnded = new Promise<void>((resolve) => control.once('close', () => resolve()));
  // Commands can write to it as well, so it is no more than a hint, and limited.
  control.on('data', (said: Buffer) => {
    if (isUsed && report.length < MAX_REPORT_CHARS) report += said.toString();
  });
  return {
    ...shell,
    allEnded,
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
      const [begun, ...directories] = report.split('\n\0').slice(0, -1); // whatever is whole ends so
      const directory = directories.at(-1); // every report counts more than those before it
      return { begun: begun !== undefined, ...(directory !== undefined && { directory }) };
    },
    async discard() {
      // Before its command a shell has started nothing that could have left its group, but for the program around it.
      if (!isUsed && !shell.tree.politeGroup) signalGroup(shell.tree.group, 'SIGKILL');
      else await killTreeSoon(shell.tree);
      control.destroy();
      shell.pipe.close();
      if (!isUsed) closeSync(file);
      await Promise.allSettled([shell.ended(), gone(shell.child, shell.exited)]);
    },
  };
}

/** Resolves when the process, which was killed, has ended. */
async function gone(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.ref();
  await exited;
}

function checkedVariable([name, value]: [string, string]): [string, string] {
  if (/^[A-Za-z_]\w*$/.test(name) && !value.includes('\0')) return [name, value];
  throw new TypeError(`A shell can't be given the variable ${JSON.stringify(name)}: its name or its value is none.`);
}

/** Where that fails, bash makes it later. */
async function makePipes(names: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await once(startProcess('mkfifo', ['-m', '600', ...names], { env, cwd: '/', stdio: 'ignore' }), 'exit');
  } catch {
    return;
  }
}

/** Opens the pipe when bash has made it, and takes away its name when bash has opened it too. */
async function connect(
  child: ChildProcess,
  control: Socket,
  name: string,
  exited: Promise<unknown>,
): Promise<OutputPipe> {
  let pipe: OutputPipe | undefined;
  const connected = Promise.withResolvers<OutputPipe>();
  control.on('error', () => {}); // it ends with the shell, whose exit is what counts
  const onData = (said: Buffer): void => {
    try {
      pipe ??= openOutputPipe(name);
      if (!said.includes('o')) return;
      pipe.closeWriteEnd();
      unlinkSync(name);
      connected.resolve(pipe);
    } catch (error) {
      connected.reject(error);
    }
  };
  control.on('data', onData);
  void exited.then(
    () => connected.reject(new Error('bash ended before it could take a command')),
    (error: unknown) => connected.reject(error),
  );
  // A caller waits for it. The child too: where it ends first, its exit is all that is still to come.
  control.ref();
  child.ref();
  try {
    return await connected.promise;
  } catch (error) {
    pipe?.close();
    rmSync(name, { force: true });
    throw error;
  } finally {
    control.off('data', onData);
    control.unref();
    child.unref();
  }
}

/**
 * A file without a name, by two descriptors. The shell gets the one that only reads, and closes it before its command
 * runs: what is open passes every wall.
 */
function openTask(name: string): { file: number; readOnly: number } {
  const file = openSync(name, 'wx', 0o600);
  try {
    return { file, readOnly: openSync(name, 'r') };
  } finally {
    unlinkSync(name);
  }
}

/** The environment without what would change how bash works or wait for a person. */
function shellEnvironment(env: Environment): NodeJS.ProcessEnv {
  const {
    BASH_ENV: _startup,
    ENV: _posixStartup,
    PROMPT_COMMAND: _prompt,
    SHELLOPTS: _options,
    BASHOPTS: _bashOptions,
    CDPATH: _searched, // with it, `cd src` may lead anywhere
    GIT_EXTERNAL_DIFF: _differ, // a program for people, and no variable or setting switches it off
    OLDPWD: _previous, // of whoever started us; `cd -` has to fail rather than go there
    ...kept
  } = env;
  return {
    ...kept,
    TERM: 'dumb',
    PAGER: 'cat',
    MANPAGER: 'cat',
    GIT_PAGER: 'cat',
    // An editor that changes nothing: `git rebase --continue` keeps its message, `git commit` without one refuses.
    EDITOR: 'true',
    VISUAL: 'true',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_TERMINAL_PROMPT: '0',
  };
}
