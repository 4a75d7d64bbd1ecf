// What a decision is made by: the mode, the rules and the folders of a session.
import type { FileEffect } from '../contract/effect.js';
import type { PermissionMode, Walls } from '../contract/permission.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { isInside } from '../platform/files/paths.js';
import type { PathStyle } from './match-path.js';
import { namesOf } from './match-rule.js';
import type { Rule } from './rule.js';
import type { PolicySandbox } from './sandboxed-call.js';
import { isInWorktree, type WorktreePlace } from './worktree-paths.js';

export interface Policy {
  mode: PermissionMode;
  /** The project and the folders added to it, each as written and with symlinks resolved. */
  workspace: readonly string[];
  /** Where this session saves long results: free to read. */
  resultsFolder: string;
  /** Other folders that are free to read, as written and resolved: those of skills in use. */
  readable?: readonly string[];
  /** Helve's own data, as written and resolved. No tool may touch it, apart from the folders above. */
  dataFolders: readonly string[];
  /** The worktrees of the session; in the data folder, and not Helve's own data. */
  worktrees?: readonly WorktreePlace[];
  /** What the tools declare about rules. */
  tools: ToolTable;
  /** From all sources. Their order doesn't matter. */
  rules?: readonly Rule[];
  /** The home folder, as written and resolved. */
  home?: readonly string[];
  /** Whether the kernel can confine commands that were not approved. Default: `none`. */
  walls?: Walls;
  /** The sandbox configured in settings; absent if it is off. */
  sandbox?: PolicySandbox | undefined;
  /** How file names are compared. Default: as on this machine. */
  style?: PathStyle;
}

/** Whether the effect only reads a saved result of this session, or a file of a skill in use. */
export const isFreeToRead = (effect: FileEffect, { resultsFolder, readable = [] }: Policy): boolean =>
  effect.access === 'read' && namesOf(effect).every((name) => isUnder([resultsFolder, ...readable], name));

/** Whether the path belongs to Helve itself. */
export const isOwnData = (name: string, { dataFolders, worktrees }: Policy): boolean =>
  isUnder(dataFolders, name) && !isInWorktree(name, worktrees);

export const isInWorkspace = (effect: FileEffect, { workspace }: Policy): boolean =>
  namesOf(effect).every((name) => isUnder(workspace, name));

export const isUnder = (folders: readonly string[], name: string): boolean =>
  folders.some((folder) => isInside(folder, name));
