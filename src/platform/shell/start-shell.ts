import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { type OutputPipe, openOutputPipe } from './output-pipe.js';
import { signalGroup } from './process-group.js';
import { killTreeSoon, MARK_VARIABLE, withMark } from './process-tree.js';
import { gone, type ReadyShell, readyShell } from './ready-shell.js';
import type { ShellLine, ShellProcess, ShellStart } from './shell-process.js';
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
  /** Starts the program. */
  start(start: ShellStart): Promise<ShellProcess>;
}

/** A started program that may still wait for its policy before bash can begin in it. */
export interface BegunShell {
  readonly child: ShellProcess;
  /** Applies the policy of this one command. Ends the program if that fails. */
  open(wrap: WrapShell | undefined): Promise<ReadyShell>;
  /** Ends it. Resolves when it and the program around it are gone. */
  discard(): Promise<void>;
}

/**
 * Starts a bash. `name` is an unused path in a private folder: for a moment it is the name of the pipe.
 *
 * Starting a program takes most of the time of a small command, and Node has no API for named pipes. So the first bash
 * creates the pipes, which it does faster than we could, its own and those of later shells, and all of that can happen
 * before there is a command. The task arrives in an unlinked file, byte for byte and of any length; the report comes
 * back on the control channel. If this process dies, the waiting shell sees the end of its control channel and exits
 * too.
 */
export async function startShell(name: string, options: ShellOptions): Promise<ReadyShell> {
  if (!options.wrap && existsSync(name)) return await startCompleteShell(name, options);
  return await (await beginShell(name, options)).open(options.wrap);
}

/** The first part of it: everything that can be done before the policy is known. */
export async function beginShell(name: string, options: ShellOptions): Promise<BegunShell> {
  const { env, mark, wrap, isAhead, start, nextNames = [] } = options;
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
    const child = await start({
      program,
      args,
      cwd,
      env: environment,
      descriptors: ['ignore', 'ignore', 'ignore', 'pipe', readOnly, ...descriptors],
    }).finally(() => wrapped?.started());
    const pipeMade = isAhead && !existsSync(name) ? makePipes(names, bash.env) : undefined;
    const { pid, exited } = child;
    const [control, walls] = linesOf(child);
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
      await Promise.allSettled([removed, ended(), gone(child)]);
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
          const pipe = await connect(child, control, name);
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
  } finally {
    closeSync(readOnly);
  }
}

/**
 * Starts a bash that needs nothing more but its command. Its output pipe is opened here and passed to it. In a sandbox
 * that is complete from the start there is no folder to create one in; if the sandbox can't be built, it says so in its
 * output and exits.
 */
export async function startCompleteShell(name: string, options: ShellOptions): Promise<ReadyShell> {
  const { env, mark, wrap, start, nextNames = [] } = options;
  if (!existsSync(name)) await makePipes([name, ...nextNames], shellEnvironment(env));
  const { file, readOnly } = openTask(`${name}-task`);
  let pipe: OutputPipe | undefined;
  let output: number | undefined;
  let wrapped: WrappedShell | undefined;
  try {
    pipe = openOutputPipe(name);
    output = openSync(name, constants.O_WRONLY | constants.O_NOFOLLOW);
    pipe.closeWriteEnd();
    unlinkSync(name);
    const bash = {
      program: 'bash',
      args: ['--noprofile', '--norc', '-c', shellScript({ opensPipe: false }), 'bash'],
      cwd: '/',
      env: { ...shellEnvironment(env), [MARK_VARIABLE]: withMark(env[MARK_VARIABLE], mark) },
    };
    wrapped = await wrap?.start({ ...bash, freeDescriptor: FREE_DESCRIPTOR, folder: dirname(name) });
    const { program, args, cwd, env: environment } = wrapped ?? bash;
    const descriptors = wrapped?.descriptors.filter((one) => one !== 'pipe') ?? [];
    const child = await start({
      program,
      args,
      cwd,
      env: environment,
      descriptors: ['ignore', output, output, 'pipe', readOnly, ...descriptors],
    }).finally(() => wrapped?.started());
    const { pid, exited } = child;
    const [control] = linesOf(child);
    const shell = wrapped;
    const tree = { group: pid, mark, ...(shell && { politeGroup: () => shell.group(pid) }) };
    const ended = async (): Promise<unknown> => await shell?.ended().catch(() => undefined);
    const isCurrent = shell?.isCurrent;
    return { ...readyShell({ child, tree, exited, pipe, ended, control, file }), ...(isCurrent && { isCurrent }) };
  } catch (error) {
    pipe?.close();
    closeSync(file);
    await wrapped?.ended();
    throw error;
  } finally {
    closeSync(readOnly);
    if (output !== undefined) closeSync(output);
  }
}

/** The control channel, and the line that transmits the policy of a sandbox. */
function linesOf({ lines: [control, ...others] }: ShellProcess): [ShellLine, ...ShellLine[]] {
  if (control === undefined) throw new Error('A shell was started without a control channel.');
  return [control, ...others];
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
async function connect(child: ShellProcess, control: ShellLine, name: string): Promise<OutputPipe> {
  let pipe: OutputPipe | undefined;
  const connected = Promise.withResolvers<OutputPipe>();
  const leave = control.listen((said) => {
    try {
      pipe ??= openOutputPipe(name);
      if (!said.includes('o')) return;
      pipe.closeWriteEnd();
      unlinkSync(name);
      connected.resolve(pipe);
    } catch (error) {
      connected.reject(error);
    }
  });
  void child.exited.then(
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
    leave();
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
  } catch (error) {
    closeSync(file);
    throw error;
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
