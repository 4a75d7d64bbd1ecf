import { once } from 'node:events';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { messageOf } from '../message-of.js';
import { startProcess } from '../shell/start-process.js';
import { type BubblewrapOptions, bubblewrap } from './bubblewrap.js';
import type { Placeholders } from './placeholders.js';
import { contains, realOf } from './plan-access.js';
import type { PlainCommand, Sandbox, WrappedCommand } from './sandbox.js';
import { SANDBOX_EXEC, seatbelt } from './seatbelt.js';
import { seccompFilter } from './seccomp.js';
import { bubblewrapMissing, mayLackNamespaces, type ReadMachine, whyUnavailable } from './why-unavailable.js';

const PROBE_MS = 10_000; // the trial takes about 10 ms; a machine that needs longer is hung

export interface SandboxSearch {
  env: Readonly<Record<string, string | undefined>>;
  /** The folders that the model works in: programs found there are never used. */
  workspace: readonly string[];
  /** Tracks placeholders for missing folders while commands run, if another component has to know of them. */
  placeholders?: Placeholders;
  platform?: NodeJS.Platform;
  /** Reads the machine's configuration files; replaced in tests. */
  readMachine?: ReadMachine;
}

/** The sandbox of this machine, after a trial run. If none works, one that does nothing and says why. */
export async function chooseSandbox(search: SandboxSearch): Promise<Sandbox> {
  const { platform = process.platform } = search;
  if (platform === 'linux') return await chooseBubblewrap(search);
  if (platform === 'darwin') return await chooseSeatbelt(search);
  return noSandbox(`Helve knows no sandbox for this system (${platform}), so commands run without one.`);
}

/** For `helve doctor`. */
export function describeSandbox({ kind, why }: Pick<Sandbox, 'kind' | 'why'>): {
  what: 'Sandbox';
  state: 'ok' | 'missing';
  detail: string;
} {
  return { what: 'Sandbox', state: kind === 'none' ? 'missing' : 'ok', detail: why };
}

/** Runs commands unchanged. */
function noSandbox(why: string): Sandbox {
  return {
    kind: 'none',
    why,
    async wrap({ program, args, cwd, env }) {
      return {
        program,
        args: [...args],
        cwd,
        env: { ...env },
        descriptors: [],
        notes: [],
        started: () => undefined,
        group: (child) => child,
        ended: async () => [],
      };
    },
  };
}

async function chooseBubblewrap(search: SandboxSearch): Promise<Sandbox> {
  const program = findProgram('bwrap', search);
  if (program === undefined) return noSandbox(bubblewrapMissing);
  const filter = seccompFilter(process.arch);
  const walls = 'files, processes and network';
  const { placeholders } = search;
  const full: BubblewrapOptions = {
    program,
    why: `bubblewrap (${program}): ${walls}, system calls`,
    filter,
    placeholders,
  };
  const failure = await probe(bubblewrap(full), search);
  if (failure === undefined && filter) return bubblewrap(full);
  const partial: BubblewrapOptions = {
    program,
    why: `bubblewrap (${program}): ${walls}; system calls are not filtered, which this kernel or processor can not do`,
    placeholders,
  };
  if (failure === undefined || (/seccomp/i.test(failure) && (await probe(bubblewrap(partial), search)) === undefined)) {
    return bubblewrap(partial);
  }
  return noSandbox(whyUnavailable(program, failure, search.readMachine));
}

/**
 * A check that starts no process: whether the machine's sandbox is likely to be missing. Only a trial run is certain.
 */
export function mayLackSandbox(search: SandboxSearch): boolean {
  const { platform = process.platform } = search;
  if (platform !== 'linux') return platform !== 'darwin';
  return findProgram('bwrap', search) === undefined || mayLackNamespaces(search.readMachine);
}

async function chooseSeatbelt(search: SandboxSearch): Promise<Sandbox> {
  const sandbox = seatbelt(`Seatbelt (${SANDBOX_EXEC}): files, processes and network`);
  const failure = await probe(sandbox, search);
  if (failure === undefined) return sandbox;
  return noSandbox(`${SANDBOX_EXEC} does not work here, so commands run without a sandbox: ${failure}.`);
}

/** Why a sandbox can't run a minimal program, or undefined if it can. */
async function probe(sandbox: Sandbox, { env }: SandboxSearch): Promise<string | undefined> {
  const temp = '/tmp';
  const policy = {
    workspace: [],
    writable: [],
    hidden: ['/sys'], // so that the options for hiding a folder are tried; the program does not need it
    readOnly: [],
    network: 'off',
    temp,
    home: homedir(),
  } as const;
  return await sandboxFailure(env, (command) => sandbox.wrap(command, policy));
}

/** Why a minimal program can't run in a sandbox, or undefined if it can. `wrap` gives its command line in the sandbox. */
export async function sandboxFailure(
  env: PlainCommand['env'],
  wrap: (command: PlainCommand) => WrappedCommand | Promise<WrappedCommand>,
): Promise<string | undefined> {
  try {
    const wrapped = await wrap({ program: 'true', args: [], cwd: '/', env, freeDescriptor: 3 });
    try {
      return await failureOf(wrapped);
    } finally {
      await wrapped.ended();
    }
  } catch (error) {
    return messageOf(error);
  }
}

async function failureOf(wrapped: WrappedCommand): Promise<string | undefined> {
  const child = startProcess(wrapped.program, wrapped.args, {
    cwd: wrapped.cwd,
    env: wrapped.env,
    stdio: ['ignore', 'ignore', 'pipe', ...wrapped.descriptors],
    timeout: PROBE_MS,
    killSignal: 'SIGKILL',
  });
  const exited = once(child, 'exit');
  wrapped.started();
  const said = child.stderr ? text(child.stderr) : '';
  const [code, signal] = await exited;
  if (code === 0) return undefined;
  return (await said).trim().replaceAll('\n', ' ') || `it ended with ${signal ?? `exit code ${code}`}`;
}

/**
 * Searches PATH, but accepts only programs owned by the system's owner: another one could have been written by the
 * model.
 */
export function findProgram(name: string, { env, workspace }: SandboxSearch): string | undefined {
  const roots = workspace.map((path) => realOf(path) ?? path);
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .flatMap((folder) => realOf(join(folder, name)) ?? [])
    .find((program) => !roots.some((root) => contains(root, program)) && isOfTheSystem(program));
}

function isOfTheSystem(program: string): boolean {
  try {
    accessSync(program, constants.X_OK);
    return [program, dirname(program)]
      .map((path) => statSync(path))
      .every(({ uid, mode }) => uid === 0 && (mode & 0o022) === 0);
  } catch {
    return false;
  }
}
