import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type PermissionMode, permissionModes } from '../contract/permission.js';
import type { Tool } from '../contract/tool.js';
import type { ToolSetMode } from '../contract/tool-context.js';
import type { WebAccess } from '../contract/web.js';
import { dataFolderOf, homeFolder, realPathSync } from '../platform/files/paths.js';
import type { Settings } from '../settings/settings.js';
import { builtInTools } from '../tools/index.js';
import { type Answers, answersOf } from './answers.js';
import type { FullEngineOptions } from './options.js';
import { withoutSecrets } from './visible-environment.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The options of a session with their defaults. */
export interface ResolvedOptions {
  options: FullEngineOptions;
  answers: Answers;
  env: Environment;
  /** The part of the environment that is passed to tools, hooks and servers. */
  visibleEnv: Record<string, string | undefined>;
  home: string | undefined;
  /** With symlinks resolved. */
  root: string;
  /** The project and the folders that were added to it, with symlinks not resolved. */
  folders: readonly string[];
  dataFolder: string;
  /** The data folder, with symlinks resolved and not resolved. */
  dataFolders: readonly string[];
  builtIn: readonly Tool[];
  toolSet: ToolSetMode;
  mode: PermissionMode;
  /** The current settings. */
  settings(): Settings | undefined;
  /** Whether a person has trusted the project. */
  isTrusted(): boolean;
  /** Whether a person follows the project's instruction files. */
  followsInstructions(): boolean;
}

/** Throws `TypeError` for a folder or a mode that does not exist. */
export function resolveOptions(options: FullEngineOptions): ResolvedOptions {
  const { env = process.env, home = homeFolder(), permissionMode: mode = 'default' } = options;
  const { worktree } = options;
  const root = realFolder(worktree?.root ?? options.root ?? process.cwd(), 'root');
  const trusted = worktree?.project ?? root; // settings are those of the project
  const writtenDataFolder = options.dataFolder ? resolve(options.dataFolder) : dataFolderOf({ env, home });
  const dataFolder = realPathSync(writtenDataFolder);
  if (!permissionModes.includes(mode)) {
    throw new TypeError(`There is no permission mode "${mode}". There are: ${permissionModes.join(', ')}.`);
  }
  const answers = answersOf(options);
  const isInteractive = options.interactive ?? answers.askPermission !== undefined;
  const searchKey = webAccess(options, env).search?.keyVariable;
  const settings = (): Settings | undefined => options.settings?.current;
  return {
    options,
    answers,
    env,
    visibleEnv: withoutSecrets(env, [...(options.hiddenVariables ?? []), ...(searchKey ? [searchKey] : [])]),
    home,
    root,
    folders: [worktree?.root ?? options.root ?? root, ...(options.additionalDirectories ?? []).map(existingFolder)],
    dataFolder,
    dataFolders: [dataFolder, writtenDataFolder],
    builtIn: builtInTools(),
    toolSet: options.toolSet === 'simple' ? 'simple' : isInteractive ? 'repl' : 'headless',
    mode,
    settings,
    isTrusted() {
      // A session that is resumed may belong to another folder than the one that settings were read for.
      const { state, folder } = settings()?.trust ?? {};
      return state === 'trusted' && folder === trusted;
    },
    followsInstructions() {
      const { followsInstructions = false, folder } = settings()?.trust ?? {};
      return followsInstructions && folder === trusted;
    },
  };
}

/** The web access of tools, from the options, else from the settings. */
export function webAccess({ web, settings }: FullEngineOptions, env: Environment): WebAccess {
  if (web) return web;
  const { webFetch, webSearch } = settings?.current ?? {};
  const localHosts = webFetch?.localHosts ?? [];
  if (!webSearch) return { localHosts };
  const { provider, url, apiKeyEnv: keyVariable } = webSearch.value;
  const key = keyVariable === undefined ? undefined : env[keyVariable];
  return { localHosts, search: { provider, url, key, keyVariable } };
}

/** The folder with symlinks not resolved. Throws `TypeError` if it does not exist. */
export function existingFolder(path: string): string {
  realFolder(path, 'additionalDirectories');
  return path;
}

function realFolder(path: string, option: string): string {
  let real: string;
  try {
    real = realpathSync.native(path);
  } catch (error) {
    throw new TypeError(`${option} names the folder ${path}, which can't be found.`, { cause: error });
  }
  if (statSync(real).isDirectory()) return real;
  throw new TypeError(`${option} names ${path}, which is not a folder.`);
}
