// Where settings come from, the highest precedence first.
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf } from '../platform/error-code.js';
import { dataFolderOf, homeFolder, isInside, shortPath } from '../platform/files/paths.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The kinds of sources, the highest precedence first. */
const sourceKinds = ['managed', 'flag', 'local', 'project', 'user'] as const;

export type SourceKind = (typeof sourceKinds)[number];

/** The kinds of sources that `--setting-sources` can leave out. */
export const optionalSources = ['user', 'project', 'local'] as const satisfies readonly SourceKind[];

export type OptionalSource = (typeof optionalSources)[number];

/** Where a value is written. */
export interface Origin {
  kind: SourceKind;
  /** The name of the file in messages: `.helve/settings.json`, `~/.helve/settings.json`, `--settings`. */
  file: string;
  line?: number | undefined;
  column?: number | undefined;
}

export interface SettingsPlace {
  kind: SourceKind;
  /** The name in messages. */
  file: string;
  /** Absolute; missing for settings that were given as JSON on the command line. */
  path?: string;
  /** JSON given on the command line instead of a file. */
  text?: string;
  /** The folder that the file belongs to: where `/x` in its rules starts. */
  anchor: string;
  /** The file may contain only these settings, like `.mcp.json`. */
  only?: readonly string[];
}

export interface PlaceOptions {
  /** The project: the folder that the session was started in. No folder above it is searched. */
  root: string;
  env?: Environment;
  /** Default: the home folder. */
  home?: string;
  /** `--settings`: a file, or the settings themselves as JSON. */
  flag?: string;
  /** `--managed-settings`: settings of a host, as JSON. They come before `--settings`. */
  hostFlag?: string;
  /** Managed settings beside those of the administrator's folder, as JSON: those of a project of a fleet. */
  policy?: string;
  /** The folder of the administrator's settings. Default: the platform's usual place. */
  managedFolder?: string;
}

/** All possible locations of settings, the highest precedence first, whether they exist or not. */
export function settingsPlaces(options: PlaceOptions): SettingsPlace[] {
  const { env = process.env, home = homeFolder() } = options;
  const root = resolve(options.root);
  const [own, other] = [dataFolderOf({ env, ...(home !== undefined && { home }) }), claudeFolder(env, home)];
  const project = (kind: 'project' | 'local', ...parts: string[]): SettingsPlace => {
    const path = join(root, ...parts);
    return { kind, path, file: shortPath(root, path), anchor: root };
  };
  const user = (folder: string): SettingsPlace => {
    const path = join(folder, 'settings.json');
    return { kind: 'user', path, file: fromHome(path, home), anchor: folder };
  };
  return [
    ...managedPlaces(options.managedFolder ?? managedFolder()),
    ...(options.policy === undefined
      ? []
      : [
          {
            kind: 'managed' as const,
            file: 'the settings of the project in the fleet',
            text: options.policy,
            anchor: root,
          },
        ]),
    ...(options.hostFlag === undefined
      ? []
      : [{ kind: 'flag' as const, file: '--managed-settings', text: options.hostFlag, anchor: root }]),
    ...(options.flag === undefined ? [] : [flagPlace(options.flag, root)]),
    project('local', '.helve', 'settings.local.json'),
    project('local', '.claude', 'settings.local.json'),
    project('project', '.helve', 'settings.json'),
    project('project', '.claude', 'settings.json'),
    { ...project('project', '.mcp.json'), only: ['mcpServers'] },
    user(own),
    ...(other === undefined ? [] : [user(other)]),
  ];
}

function claudeFolder(env: Environment, home: string | undefined): string | undefined {
  const named = env['CLAUDE_CONFIG_DIR'];
  if (named) return resolve(named);
  return home === undefined ? undefined : join(home, '.claude');
}

function managedFolder(): string {
  if (process.platform === 'darwin') return '/Library/Application Support/Helve';
  if (process.platform === 'win32') return 'C:\\Program Files\\Helve';
  return '/etc/helve';
}

/** The file, and those of the folder beside it, of which later names take precedence. */
function managedPlaces(folder: string): SettingsPlace[] {
  const parts = join(folder, 'managed-settings.d');
  const paths = [join(folder, 'managed-settings.json'), ...namesIn(parts).map((name) => join(parts, name))];
  return paths.reverse().map((path) => ({ kind: 'managed', path, file: path, anchor: folder }));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    return ['']; // the folder itself, so that reading it reports the error
  }
}

function flagPlace(flag: string, root: string): SettingsPlace {
  const file = '--settings';
  if (flag.trimStart().startsWith('{')) return { kind: 'flag', file, text: flag, anchor: root };
  const path = resolve(flag);
  return { kind: 'flag', path, file: shortPath(root, path), anchor: dirname(path) };
}

function fromHome(path: string, home: string | undefined): string {
  return home !== undefined && isInside(home, path) ? `~/${shortPath(home, path)}` : path;
}
