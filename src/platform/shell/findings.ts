// The result of walking a command: commands, files, addresses, and unknown parts. All lists are bounded: beyond
// a bound the command counts as not understood, and the rest is dropped.
import type { HostFacts } from '../../contract/effect.js';
import type { SetVariables } from './container-engine.js';
import { processPath } from './descriptors.js';
import { resolveIn } from './expand-word.js';
import type { Assigned, PathSpec, ShellField, Touch } from './programs/program.js';
import type { State } from './shell-state.js';

const MAX_COMMANDS = 200; // beyond this a person can't judge it either
const MAX_KEPT_COMMANDS = 5_000; // deny rules check more than a person would read
const MAX_FILES = 2_000;
const MAX_STEPS = 50_000; // nodes, words and nested scripts by their length

export interface FoundCommand {
  words: readonly ShellField[];
  why?: string;
  assigns: readonly Assigned[];
  wrappedBy?: number;
  needsWalls?: boolean;
  observes?: HostFacts;
  /** No table knows it: it may run confined, if it turns out to be a system program. */
  isSystemCandidate?: boolean;
  /** Addresses that it reaches. */
  network?: readonly string[];
  /** Its possible directories; absent if they are unknown. */
  directories?: readonly string[] | undefined;
  /** For a container command. */
  engineVariables?: SetVariables | undefined;
}

export interface FoundAccess {
  access: 'read' | 'write';
  /** Absolute, not normalised: `..` behind a symlink leads elsewhere. Absent if it is unknown. */
  path?: string;
  /** As written. */
  text: string;
  tree?: boolean;
  /** Another command or the disk determines which files of the tree or glob: there may be symlinks among them. */
  chosen?: boolean;
  listing?: boolean;
  removes?: boolean;
  replaces?: boolean;
  found?: boolean;
  /** Symlinks in the tree are followed, wherever they lead. */
  followsLinks?: boolean;
  pattern?: string;
  /** Counts only if the command turns out to be a system program. */
  ofCandidate?: boolean;
  by?: { command: number; as: 'operand' | 'redirection' };
}

/** The findings, once the walk is over. */
export interface FoundFacts {
  commands: readonly FoundCommand[];
  files: readonly FoundAccess[];
  network: readonly string[];
  unknown: readonly string[];
  movesDirectory: boolean;
  /** A test of the shell itself checks whether a file may be written. */
  observesMachine: boolean;
}

export class Findings implements FoundFacts {
  readonly commands: FoundCommand[] = [];
  readonly files: FoundAccess[] = [];
  readonly network: string[] = [];
  readonly unknown: string[] = [];
  movesDirectory = false;
  observesMachine = false;
  /** A part of it is outside the core of the language that is trusted without confinement. */
  beyondCore = false;
  /** The work of the analysis, in nodes, words and characters of nested scripts. */
  steps = 0;

  isUnknown(why: string): void {
    if (this.unknown.length < 100 && !this.unknown.includes(why)) this.unknown.push(why);
  }

  /** Whether the work limit allows more. */
  step(cost = 1): boolean {
    if (this.steps > MAX_STEPS) return false;
    this.steps += cost;
    if (this.steps > MAX_STEPS) this.isUnknown('it is too large to be understood');
    return this.steps <= MAX_STEPS;
  }

  command(command: FoundCommand): void {
    if (this.commands.length === MAX_COMMANDS) this.isUnknown(`it has more than ${MAX_COMMANDS} commands`);
    if (this.commands.length < MAX_KEPT_COMMANDS) this.commands.push(command);
  }

  file({ file, ...touch }: Touch, state: State, by: FoundAccess['by'], ofCandidate = false): void {
    const base = { ...touch, text: file.text, ...(by && { by }), ...(ofCandidate && { ofCandidate }) };
    const pathSpecs = file.value === undefined ? file.pathSpecs : [{ path: file.value }];
    if (pathSpecs === undefined) {
      this.#push({ ...base, tree: true });
      return;
    }
    const isChosen = file.value === undefined;
    for (const place of pathSpecs) this.#place(place, state, { ...base, ...(isChosen && { chosen: true }) });
  }

  #push(file: FoundAccess): void {
    if (this.files.length < MAX_FILES) this.files.push(file);
    else this.isUnknown(`it names more than ${MAX_FILES} files`);
  }

  #place({ path, tree, pattern }: PathSpec, state: State, base: Omit<FoundAccess, 'path'>): void {
    if (path === '') return;
    const { directories } = state;
    const file = { ...base, ...(tree && { tree }) };
    if (!path.startsWith('/') && directories === undefined) {
      this.#push({ ...file, tree: true });
      return;
    }
    for (const directory of path.startsWith('/') ? ['/'] : (directories ?? [])) {
      const from = pattern?.startsWith('/') ? '/' : directory;
      this.#absolute(path.startsWith('/') ? path : `${directory}/${path}`, state, {
        ...file,
        ...(pattern !== undefined && { pattern: resolveIn(from, pattern) }),
      });
    }
  }

  #absolute(path: string, state: State, file: Omit<FoundAccess, 'path'>): void {
    if (/^\/dev\/(null|zero)$/.test(path)) return;
    const remote = /^\/dev\/(tcp|udp)\/([^/]*)\/([^/]*)$/.exec(path);
    if (remote) {
      this.network.push(`${remote[1]}://${remote[2]}:${remote[3]}`);
      return;
    }
    const place = processPath(path);
    if (place === undefined) {
      this.#push({ ...file, path });
      return;
    }
    const { pattern: _, ...base } = file;
    const anywhere = { ...base, tree: true };
    if (place === 'unknown') {
      this.#push(anywhere);
      return;
    }
    if ('directory' in place) {
      const folders = place.directory === 'root' ? ['/'] : state.directories;
      if (folders === undefined) this.#push(anywhere);
      for (const folder of folders ?? []) this.#push({ ...base, path: `${folder}${place.rest}` });
      return;
    }
    const opened = state.descriptors.get(place.descriptor);
    const isStream = opened === 'output' || opened === 'pipe' || (opened === 'input' && file.access === 'read');
    if (isStream && place.rest === '') return;
    if (opened === undefined || typeof opened === 'string') {
      this.#push(anywhere);
      return;
    }
    for (const { path: behind } of opened) {
      if (behind === undefined) this.#push(anywhere);
      else if (!/^\/dev\/(null|zero)$/.test(behind)) this.#push({ ...base, path: behind + place.rest });
    }
  }
}
