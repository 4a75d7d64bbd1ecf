import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ToolFailure } from '../../contract/failure.js';
import { descendantsOf } from './process-tree.js';

const MEMORY_VARIABLES = ['HELVE_MEMORY_LIMIT', 'CLAUDE_CODE_TOOL_MEMORY_LIMIT'];
const PROCESS_VARIABLE = 'HELVE_PROCESS_LIMIT';
const NAME = 'helve-';

type Environment = Readonly<Record<string, string | undefined>>;

/** What one command and all that it starts may use together. */
export interface Limits {
  memoryBytes?: number;
  processes?: number;
}

export interface LimitReport {
  /** How many processes were killed because the memory was used up. */
  memoryKills: number;
  /** How often a process could not be started because there were too many. */
  refusedProcesses: number;
}

/** A control group for one command. */
export interface LimitGroup {
  /** Puts a process and all below it under the limits. */
  add(pid: number): void;
  report(): LimitReport;
  /** Removes the group; false while something still runs in it. */
  remove(): boolean;
}

/** The limits that the environment asks for; undefined for none. A value that can't be understood is refused, not ignored. */
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
  const [, digits = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*$/i.exec(text) ?? [];
  const bytes = Math.floor(Number(digits) * 1024 ** ' KMGT'.indexOf(unit.toUpperCase() || ' '));
  return digits !== '' && bytes > 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}

function badLimit(variable: string, env: Environment, expected: string): ToolFailure {
  return new ToolFailure(
    `The command was not run: ${variable} is "${env[variable]}", which is not ${expected}, so no limit could be set. Ask the user to correct or unset it.`,
  );
}

/** A new group for a command; undefined where this system gives us none, and the command runs without. */
export function makeLimitGroup(mark: string, limits: Limits): LimitGroup | undefined {
  const made: Part[] = [];
  for (const part of partsFor(limits)) {
    const path = join(part.folder, `${NAME}${mark}`);
    try {
      mkdirSync(path);
      part.set(path, limits);
      made.push({ ...part, folder: path });
    } catch {
      removeFolder(path); // not ours to write; the other limits may still be
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

/** The folders that groups of this environment are made in. */
export function limitFolders(env: Environment): string[] {
  try {
    const limits = limitsFrom(env);
    return limits ? partsFor(limits).map(({ folder }) => folder) : [];
  } catch {
    return []; // the call says what is wrong
  }
}

/** Removes the groups that somebody left who is gone, as far as they are empty. */
export function removeLimitGroups(mark: string, folders: readonly string[]): void {
  for (const folder of folders) {
    for (const name of namesIn(folder)) if (name.startsWith(`${NAME}${mark}.`)) removeFolder(join(folder, name));
  }
}

/** One sentence for a person: which limits commands have here, and by what. */
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

/** One hierarchy that a group is made in. */
interface Part {
  version: 1 | 2;
  folder: string;
  controls: ReadonlyArray<'memory' | 'processes'>;
  /** The file that counts what was killed for want of memory. */
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
        writeIfThere(group, 'memory.swap.max', '0'); // or the limit would only make it slow
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
        writeIfThere(group, 'memory.memsw.limit_in_bytes', String(memoryBytes)); // with swap, or it would only be slow
      }
      if (controller === 'pids' && processes) write(group, 'pids.max', String(processes));
    },
  };
}

/** A group in a hierarchy that this process is in. `controllers` is absent for the one of version 2. */
interface CgroupMembership {
  controllers?: readonly string[];
  folder: string;
}

/** Where this process stands in every hierarchy that is mounted. */
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
        // In a container the mount may show only a part of the hierarchy, and the path begin above it.
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
 * In version 2 a group that holds processes can't hand controllers on to groups below it. So ours is made beside the one
 * that we are in, unless that one hands them on already.
 */
function unifiedFolder(own: string, wanted: readonly string[]): string | undefined {
  return [own, dirname(own)].find((folder) => {
    const handedOn = read(folder, 'cgroup.subtree_control').split(/\s+/);
    return wanted.every((controller) => handedOn.includes(controller)) && mayMakeIn(folder);
  });
}

/** Permission bits say little about such a file system, so it is tried. */
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
  const [, value = '0'] = new RegExp(`^${name} (\\d+)$`, 'm').exec(read(folder, file)) ?? [];
  return Number(value);
}

function read(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8');
  } catch {
    return '';
  }
}

function write(folder: string, file: string, text: string): void {
  writeFileSync(join(folder, file), text, { flag: 'r+' }); // such a file is there, or must not be made
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // what can't be done is left
  }
}

function writeIfThere(folder: string, file: string, text: string): void {
  if (existsSync(join(folder, file))) write(folder, file, text);
}

/** A group is removed as if it were empty; its files are not files. */
function removeFolder(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
