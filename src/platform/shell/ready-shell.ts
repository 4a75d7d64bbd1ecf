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
const FREE_DESCRIPTOR = 5; // after the standard three, the control channel and the task

/** A running bash that has its output pipe and waits for its one command. It does not keep this process alive. */
export interface ReadyShell {
  readonly child: ChildProcess;
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

/** The command line of bash without a wrapper. */
export interface ShellCommand {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Environment;
  freeDescriptor: number;
  folder: string;
}

/**
 * Wraps the start of bash in another program, such as a sandbox. Inside, `folder` must be reachable by the same path
 * and writable, since bash creates its pipe there, and so must /dev/null. The environment and the descriptors below
 * `freeDescriptor` must reach bash unchanged.
 */
export interface WrapShell {
  /**
   * The sandbox is complete at the start, and equal for every wrapper of this name: a shell can be prestarted in it.
   * Its output pipe is passed to it, and it can write nothing in `folder`.
   */
  readonly completeAs?: string;
  /** A program that was prestarted by one wrapper fits every other one of the same name. Absent: it fits none. */
  readonly aheadAs?: string;
  start(command: ShellCommand): Promise<WrappedShell>;
  /** Sends a prestarted program the sandbox policy of this command. Absent if the policy is fixed at the start. */
  applyPolicy?(shell: WrappedShell, about: { folder: string; tell(text: string): void }): Promise<void>;
}

export interface WrappedShell {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Environment;
  /**
   * Descriptors of ours that the program inherits, from `freeDescriptor` on; `pipe` is the one that transmits its
   * policy.
   */
  descriptors: ReadonlyArray<number | 'pipe'>;
  /** Called once the program has been started or has failed to start. */
  started(): void;
  /** The process group of bash itself, by the PID of the program. */
  group(child: number): number | undefined;
  /** Called when it is over. */
  ended(): Promise<unknown>;
  /** Whether its sandbox is still up to date, for a shell that was prestarted with a complete sandbox. */
  isCurrent?(): boolean;
}

export interface ShellOptions {
  env: Environment;
  /** The names of later shells, whose pipes can be created along with its own. */
  nextNames?: readonly string[] | undefined;
  /** It is not needed yet, so work that would delay the command is done in advance. */
  isAhead?: boolean;
  /** The mark of all its descendants. */
  mark: string;
  wrap?: WrapShell | undefined;
}

/** A started program that may still wait for its policy before bash can begin in it. */
export interface BegunShell {
  readonly child: ChildProcess;
  /** Applies the policy of this one command. Ends the program if that fails. */
  open(wrap: WrapShell | undefined): Promise<ReadyShell>;
  /** Ends it. Resolves when it and the program around it are gone. */
  discard(): Promise<void>;
}

/**
 * Starts a bash. `name` is an unused path in a private folder: for a moment it is the name of the pipe.
 *
 * Starting a program takes most of the time of a small command, and Node has no API for named pipes. So bash creates
 * the pipe, which it does faster than we could, along with those of later shells, and all of that can happen before
 * there is a command. The task arrives in an unlinked file, byte for byte and of any length; the report comes back on
 * the control channel. If this process dies, the waiting shell sees the end of its control channel and exits too.
 */
export async function startShell(name: string, options: ShellOptions): Promise<ReadyShell> {
  return await (await beginShell(name, options)).open(options.wrap);
}

/** The first part of it: everything that can be done before the policy is known. */
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
    exited.catch(() => undefined); // a failed start is reported by the wait just below
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
    walls?.on('error', () => {}); // it ends with the program, whose exit is handled
    walls?.unref();
    const shell = wrapped;
    const tree = { group: pid, mark, ...(shell && { politeGroup: () => shell.group(pid) }) };
    const ended = async (): Promise<unknown> => await shell?.ended().catch(() => undefined);
    let mayHaveLeft = false; // its group: once it runs, a program such as a sandbox may start others
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
 * Starts a bash whose sandbox is complete from the start. Its output pipe is opened here and passed to it, since
 * inside there is no folder to create one in. If the sandbox can't be built, it says so in its output and exits.
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
    exited.catch(() => undefined); // a failed start is reported just below
    const control = child.stdio[3];
    const { pid } = child;
    if (pid === undefined || !(control instanceof Socket)) {
      await exited;
      throw new Error('bash was started without a process id');
    }
    child.unref();
    control.unref();
    control.on('error', () => {}); // it ends with the shell, whose exit is handled
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
  // Commands can write to it as well, so it is only a hint, and limited.
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
      await Promise.allSettled([shell.ended(), gone(shell.child, shell.exited)]);
    },
  };
}

/** Resolves when the killed process has ended. */
async function gone(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.ref();
  await exited;
}

function checkedVariable([name, value]: [string, string]): [string, string] {
  if (/^[A-Za-z_]\w*$/.test(name) && !value.includes('\0')) return [name, value];
  throw new TypeError(`A shell can't be given the variable ${JSON.stringify(name)}: its name or its value is none.`);
}

/** If that fails, bash creates it later. */
async function makePipes(names: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await once(startProcess('mkfifo', ['-m', '600', ...names], { env, cwd: '/', stdio: 'ignore' }), 'exit');
  } catch {
    return;
  }
}

/** Opens the pipe when bash has created it, and unlinks it when bash has opened it too. */
async function connect(
  child: ChildProcess,
  control: Socket,
  name: string,
  exited: Promise<unknown>,
): Promise<OutputPipe> {
  let pipe: OutputPipe | undefined;
  const connected = Promise.withResolvers<OutputPipe>();
  control.on('error', () => {}); // it ends with the shell, whose exit is handled
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
  // A caller waits for it, and so does the child: if it ends first, only its exit is still to come.
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
 * An unlinked file with two descriptors. The shell gets the read-only one, and closes it before its command runs:
 * open descriptors bypass the sandbox.
 */
function openTask(name: string): { file: number; readOnly: number } {
  const file = openSync(name, 'wx', 0o600);
  try {
    return { file, readOnly: openSync(name, 'r') };
  } finally {
    unlinkSync(name);
  }
}

/** The environment without variables that would change how bash works or wait for a person. */
function shellEnvironment(env: Environment): NodeJS.ProcessEnv {
  const {
    BASH_ENV: _startup,
    ENV: _posixStartup,
    PROMPT_COMMAND: _prompt,
    SHELLOPTS: _options,
    BASHOPTS: _bashOptions,
    CDPATH: _searched, // with it, `cd src` may lead anywhere
    GIT_EXTERNAL_DIFF: _differ, // an interactive program, and no variable or setting switches it off
    OLDPWD: _previous, // of the process that started us; `cd -` has to fail rather than go there
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
