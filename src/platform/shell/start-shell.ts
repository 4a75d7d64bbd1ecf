import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { type OutputPipe, openOutputPipe } from './output-pipe.js';
import { signalGroup } from './process-group.js';
import { killTreeSoon, MARK_VARIABLE, withMark } from './process-tree.js';
import { gone, type ReadyShell, readyShell } from './ready-shell.js';
import { shellScript } from './shell-script.js';
import { startProcess } from './start-process.js';
import type { ShellEnvironment, WrappedShell, WrapShell } from './wrap-shell.js';

const FREE_DESCRIPTOR = 5; // after the standard three, the control channel and the task

export interface ShellOptions {
  env: ShellEnvironment;
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
    const { pid, control, exited } = await connectControl(child);
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
    const { pid, control, exited } = await connectControl(child);
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

/** The control channel of a bash that was just started. Neither of them keeps this process alive. */
async function connectControl(
  child: ChildProcess,
): Promise<{ pid: number; control: Socket; exited: Promise<unknown> }> {
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
  return { pid, control, exited };
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
function shellEnvironment(env: ShellEnvironment): NodeJS.ProcessEnv {
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
