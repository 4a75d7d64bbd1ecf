// Confines an unapproved command to its effects: namespaces, a view of the disk that starts empty, and the strict
// seccomp filter. Tried out once before use, because a sandbox that may not hold does not count.
import { closeSync } from 'node:fs';
import { homedir } from 'node:os';
import { sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { firstPidInside, kernelSettings, openUnlinkedFile, splitEnvironment, waitForExit } from './bubblewrap.js';
import { chooseSandbox, findProgram, type SandboxSearch, sandboxFailure } from './choose.js';
import { type ConfinedView, confinedMounts, confinedNamespaces } from './confined-view.js';
import type { PlainCommand, WrappedCommand } from './sandbox.js';
import { strictFilter } from './seccomp.js';

/** Confines commands, on a machine that supports it. */
export interface Confiner {
  /**
   * Wraps a command so that it runs confined to the view, based on the current state of the disk. Starts nothing yet.
   */
  confine(command: PlainCommand, view: ConfinedView): WrappedCommand;
}

/** `why` is one sentence: what is missing and how to get it. */
export type FoundConfiner = { confiner: Confiner } | { confiner?: undefined; why: string };

/** The confiner of this machine after a trial run, or the reason why there is none. */
export async function chooseConfiner(search: SandboxSearch): Promise<FoundConfiner> {
  const { platform = process.platform, env } = search;
  if (env['HELVE_WALLS'] === 'none') return { why: 'Commands are not confined because HELVE_WALLS is "none".' };
  if (platform !== 'linux') return { why: `Commands are not confined on this system (${platform}).` };
  const program = findProgram('bwrap', search);
  const filters = { alone: strictFilter(process.arch), among: strictFilter(process.arch, { seesProcesses: true }) };
  const { alone, among } = filters;
  if (program === undefined || !alone || !among) return { why: (await chooseSandbox(search)).why };
  let failure = '';
  for (const isolation of isolations(search)) {
    for (const limitsSize of [true, false]) {
      const confiner = createConfiner({ program, isolation, limitsSize, filters: { alone, among } });
      const found = await failureIn(confiner, env);
      if (found === undefined) return { confiner };
      failure = found;
      if (!/--size|unknown option/i.test(found)) break;
    }
  }
  const { kind, why } = await chooseSandbox(search);
  return { why: kind === 'none' ? why : `Commands can't be confined by ${program}: ${failure}.` };
}

interface ConfinerOptions {
  program: string;
  /** A command prefix for bwrap that keeps later mounts of the host out. */
  isolation: readonly string[];
  limitsSize: boolean;
  filters: { alone: Buffer; among: Buffer };
}

/**
 * If the root mount is shared, as systemd sets it up, a later mount of the host propagates into every namespace that
 * shows the folder, and is writable there. A private mount namespace around bwrap prevents that.
 */
function isolations(search: SandboxSearch): string[][] {
  const unshare = findProgram('unshare', search);
  if (unshare === undefined) return [[]];
  const mounts = ['--mount', '--propagation', 'private'];
  const asUser = [unshare, '--user', '--map-current-user', ...mounts];
  return [...(process.getuid?.() === 0 ? [[unshare, ...mounts]] : []), asUser, []];
}

function createConfiner({ program, isolation, limitsSize, filters }: ConfinerOptions): Confiner {
  return {
    confine(command, view) {
      const settings = { path: command.env['PATH'], limitsSize, kernelSettings: kernelSettings() };
      const { mounts, watch } = confinedMounts(view, settings);
      const { inside, outside } = splitEnvironment(command.env, '/tmp');
      const variables = inside.flatMap(([name, value]) => ['--setenv', name, value]);
      const infoFile = openUnlinkedFile();
      // Passed through a file, so that no command can read the hidden paths in /proc/1/cmdline.
      const hiddenWords = [...variables, ...mounts, '--chdir', sep].map((word) => `${word}\0`).join('');
      const files = [
        infoFile,
        openUnlinkedFile(view.seesProcesses ? filters.among : filters.alone),
        openUnlinkedFile(Buffer.from(hiddenWords)),
      ];
      const [info, seccomp, args] = files.map((_, index) => String(command.freeDescriptor + index));
      const [first = program, ...words] = [
        ...isolation,
        program,
        ...confinedNamespaces(view),
        ...['--info-fd', info ?? '', '--seccomp', seccomp ?? '', '--args', args ?? ''],
        ...['--', command.program, ...command.args],
      ];
      return {
        program: first,
        args: words,
        cwd: sep,
        env: outside,
        descriptors: files,
        notes: [],
        started: () => {
          for (const file of files.slice(1)) closeSync(file);
        },
        group: () => firstPidInside(infoFile),
        async ended() {
          await turn(); // the command's result comes first
          const leader = firstPidInside(infoFile);
          closeSync(infoFile);
          const findings = leader === undefined || view.seesProcesses ? [] : await waitForExit(leader);
          return [...findings, ...(await watch.ended())];
        },
      };
    },
  };
}

/** Why it can't run a minimal program, or undefined if it can. */
async function failureIn(confiner: Confiner, env: PlainCommand['env']): Promise<string | undefined> {
  const home = homedir();
  const view = {
    workspace: [],
    readable: [],
    writable: [],
    extendable: [],
    expected: [],
    readOnly: [],
    hidden: [],
    unreadable: [],
    home,
  };
  return await sandboxFailure(env, (command) => confiner.confine(command, view));
}
