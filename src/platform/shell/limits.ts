import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ToolFailure } from '../../contract/failure.js';
import { codeOf } from '../error-code.js';
import { namesIn, textIn } from '../files/lenient-reads.js';
import { descendantsOf } from './process-tree.js';

const MEMORY_VARIABLES = ['HELVE_MEMORY_LIMIT', 'CLAUDE_CODE_TOOL_MEMORY_LIMIT'];
const PROCESS_VARIABLE = 'HELVE_PROCESS_LIMIT';
const NAME = 'helve-';

type Environment = Readonly<Record<string, string | undefined>>;

/** The limits for one command and all its child processes together. */
export interface Limits {
  memoryBytes?: number;
  processes?: number;
}

export interface LimitReport {
  /** How many processes were killed because the memory limit was reached. */
  memoryKills: number;
  /** How often a process could not be started because of the process limit. */
  refusedProcesses: number;
}

/** A cgroup for one command. */
export interface LimitGroup {
  /** Moves a process and its descendants into the group. */
  add(pid: number): void;
  report(): LimitReport;
  /** Removes the group; false while a process still runs in it. */
  remove(): boolean;
}

/** The limits in the environment; undefined if there are none. An invalid value is an error, not ignored. */
export function limitsFrom(env: Environment): Limits | undefined {
  const memoryVariable = MEMORY_VARIABLES.find((name) => env[name]);
  const memoryBytes = memoryVariable && parseSize(env[memoryVariable] ?? '');
  if (memoryVariable && memoryBytes === undefined) throw badLimit(memoryVariable, env, 'a size such as 2G or 512M');
  const processText = env[PROCESS_VARIABLE];
  const processes = processText && /^[1-9]\d{0,9}$/.test(processText) ? Number(processText) : undefined;
  if (processText && processes === undefined) throw badLimit(PROCESS_VARIABLE, env, 'a whole number above 0');
  if (!memoryBytes && !processes) return undefined;
  return { ...(memoryBytes && { memoryBytes }), ...(processes && { processes }) };
}

/** Bytes, from `2G`, `512M`, `1.5 GiB` or a plain number. */
export function parseSize(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(digits) * 1024 ** ' KMGT'.indexOf(unit.toUpperCase() || ' '));
  return digits !== '' && bytes > 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}

function badLimit(variable: string, env: Environment, expected: string): ToolFailure {
  return new ToolFailure(
    `The command was not run: ${variable} is "${env[variable]}", which is not ${expected}, so no limit could be set.`,
    { advice: 'Ask the user to correct or unset it.' },
  );
}

/** Creates a cgroup for a command; undefined if the system does not permit it, and the command runs without. */
export function makeLimitGroup(mark: string, limits: Limits): LimitGroup | undefined {
  const made: Part[] = [];
  for (const part of partsFor(limits)) {
    const path = join(part.folder, `${NAME}${mark}`);
    try {
      mkdirSync(path);
      part.set(path, limits);
      made.push({ ...part, folder: path });
    } catch {
      removeFolder(path); // not writable; the other limits may still apply
    }
  }
  if (made.length === 0) return undefined;
  return {
    add(pid) {
      const below = descendantsOf(pid).filter((other) => other !== pid);
      for (const { folder } of made) {
        write(folder, 'cgroup.procs', String(pid));
        for (const other of below) tryTo(() => write(folder, 'cgroup.procs', String(other))); // it may have ended since
      }
    },
    report: () => ({
      memoryKills: Math.max(0, ...made.map(({ folder, oomFile }) => counterIn(folder, oomFile, 'oom_kill'))),
      refusedProcesses: Math.max(0, ...made.map(({ folder }) => counterIn(folder, 'pids.events', 'max'))),
    }),
    remove: () => made.map(({ folder }) => removeFolder(folder)).every(Boolean),
  };
}

/** The folders in which the groups of this environment are created. */
export function limitFolders(env: Environment): string[] {
  try {
    const limits = limitsFrom(env);
    return limits ? partsFor(limits).map(({ folder }) => folder) : [];
  } catch {
    return []; // the call reports the problem
  }
}

/** Removes empty groups of dead processes. */
export function removeLimitGroups(mark: string, folders: readonly string[]): void {
  for (const folder of folders) {
    for (const name of namesIn(folder)) if (name.startsWith(`${NAME}${mark}.`)) removeFolder(join(folder, name));
  }
}

/** One sentence for a person: the limits of commands, and how they are enforced. */
export function describeLimits(env: Environment): string {
  const always = 'time and output of a command are always limited';
  const parts = partsFor({ memoryBytes: 1, processes: 1 });
  const means = [...new Set(parts.map(({ version }) => `cgroup v${version}`))].join(' and ');
  const can = [...new Set(parts.flatMap(({ controls }) => controls))].join(' and ');
  if (parts.length === 0) return `${always}; memory and processes can't be, since no cgroup may be written here`;
  const limits = limitsFrom(env);
  const set = [
    limits?.memoryBytes && `${showSize(limits.memoryBytes)} of memory`,
    limits?.processes && `${limits.processes} processes`,
  ].filter(Boolean);
  const state = set.length > 0 ? set.join(' and ') : `not set (${MEMORY_VARIABLES[0]}, ${PROCESS_VARIABLE})`;
  return `${always}; ${can} by ${means}: ${state}`;
}

export function showSize(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  return `${Number((bytes / 1024 ** step).toFixed(1))} ${units[step]}`;
}

/** One hierarchy in which a group is created. */
interface Part {
  version: 1 | 2;
  folder: string;
  controls: ReadonlyArray<'memory' | 'processes'>;
  /** The file that counts out-of-memory kills. */
  oomFile: string;
  set(folder: string, limits: Limits): void;
}

function partsFor({ memoryBytes, processes }: Limits): Part[] {
  const wanted = [...(memoryBytes ? ['memory'] : []), ...(processes ? ['pids'] : [])];
  const memberships = readCgroupMemberships();
  const unified = memberships.find(({ controllers }) => controllers === undefined);
  const folder = unified && unifiedFolder(unified.folder, wanted);
  if (folder !== undefined) return [unifiedPart(folder, wanted)];
  return wanted.flatMap((controller) => {
    const membership = memberships.find(({ controllers }) => controllers?.includes(controller));
    return membership && mayMakeIn(membership.folder) ? [controllerPart(membership.folder, controller)] : [];
  });
}

const names: Readonly<Record<string, 'memory' | 'processes'>> = { memory: 'memory', pids: 'processes' };

function unifiedPart(folder: string, wanted: readonly string[]): Part {
  return {
    version: 2,
    folder,
    controls: wanted.map((name) => names[name]).filter((name) => name !== undefined),
    oomFile: 'memory.events',
    set(group, { memoryBytes, processes }) {
      if (memoryBytes) {
        write(group, 'memory.max', String(memoryBytes));
        writeIfThere(group, 'memory.swap.max', '0'); // otherwise the limit would only cause swapping
      }
      if (processes) write(group, 'pids.max', String(processes));
    },
  };
}

function controllerPart(folder: string, controller: string): Part {
  return {
    version: 1,
    folder,
    controls: controller === 'memory' ? ['memory'] : ['processes'],
    oomFile: 'memory.oom_control',
    set(group, { memoryBytes, processes }) {
      if (controller === 'memory' && memoryBytes) {
        write(group, 'memory.limit_in_bytes', String(memoryBytes));
        writeIfThere(group, 'memory.memsw.limit_in_bytes', String(memoryBytes)); // including swap, or it would only be slow
      }
      if (controller === 'pids' && processes) write(group, 'pids.max', String(processes));
    },
  };
}

/** A cgroup that this process is in. `controllers` is absent for cgroup v2. */
interface CgroupMembership {
  controllers?: readonly string[];
  folder: string;
}

/** The cgroups of this process in all mounted hierarchies. */
function readCgroupMemberships(): CgroupMembership[] {
  if (process.platform !== 'linux') return [];
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n').map(parseMount);
    return readFileSync('/proc/self/cgroup', 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, list, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
        if (list === undefined || path === undefined) return [];
        const controllers = list === '' ? undefined : list.split(',');
        const mount = mounts.find((one) =>
          controllers
            ? one?.type === 'cgroup' && controllers.some((name) => one.options.includes(name))
            : one?.type === 'cgroup2',
        );
        if (!mount) return [];
        // In a container the mount may show only a part of the hierarchy, and the path may begin above it.
        const below = path.startsWith(mount.root) ? path.slice(mount.root.length) : '';
        const folder = join(mount.point, mount.root === '/' ? path : below);
        return [{ ...(controllers && { controllers }), folder: existsSync(folder) ? folder : mount.point }];
      });
  } catch {
    return [];
  }
}

interface Mount {
  root: string;
  point: string;
  type: string;
  options: string[];
}

function parseMount(line: string): Mount | undefined {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root, point] = before.split(' ');
  const [type, , options = ''] = after.split(' ');
  return root && point && type ? { root, point, type, options: options.split(',') } : undefined;
}

/**
 * In cgroup v2 a group with processes can't delegate controllers to child groups. So ours is created beside the one
 * that we are in, unless that one already delegates them.
 */
function unifiedFolder(own: string, wanted: readonly string[]): string | undefined {
  return [own, dirname(own)].find((folder) => {
    const handedOn = textIn(join(folder, 'cgroup.subtree_control')).split(/\s+/);
    return wanted.every((controller) => handedOn.includes(controller)) && mayMakeIn(folder);
  });
}

/** Permission bits are not reliable on this file system, so it is tried. */
function mayMakeIn(folder: string): boolean {
  const path = join(folder, `${NAME}try-${process.pid}`);
  try {
    mkdirSync(path);
  } catch {
    return false;
  }
  return removeFolder(path);
}

function counterIn(folder: string, file: string, name: string): number {
  const [, value = '0'] = new RegExp(`^${name} (\\d+)$`, 'm').exec(textIn(join(folder, file))) ?? [];
  return Number(value);
}

function write(folder: string, file: string, text: string): void {
  writeFileSync(join(folder, file), text, { flag: 'r+' }); // the file exists, or must not be created
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // best effort
  }
}

function writeIfThere(folder: string, file: string, text: string): void {
  if (existsSync(join(folder, file))) write(folder, file, text);
}

/** A cgroup is removed with rmdir although it lists files. */
function removeFolder(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}
