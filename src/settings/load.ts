// Loads the effective settings from the files on disk. Without files, this costs a few `stat` calls and loads nothing.
import { type BigIntStats, statSync } from 'node:fs';
import { dataFolderOf, homeFolder } from '../platform/files/paths.js';
import { type OptionalSource, type SettingsPlace, settingsPlaces } from './locations.js';
import type { ReadSettingsOptions, SourceFile } from './read-files.js';
import { noSettings, type Settings } from './settings.js';
import { isFatal, SettingsRefused } from './settings-problem.js';
import { trustPath, trustState } from './trust.js';

export interface LoadOptions extends ReadSettingsOptions {
  /** `--trust`: everything in the folder applies for this run. */
  trust?: boolean;
  /** `--setting-sources`: of the other files of the person and the project, only restrictions apply. Default: all. */
  sources?: readonly OptionalSource[] | undefined;
}

/** The effective settings. Throws `SettingsRefused` if something that could refuse a call is invalid. */
export async function loadSettings(options: LoadOptions): Promise<Settings> {
  const settings = await readSettings(options);
  const fatal = settings.problems.filter(isFatal);
  if (fatal.length > 0) throw new SettingsRefused(fatal);
  return settings;
}

/** The same without throwing: errors are among the problems. */
export async function readSettings(options: LoadOptions): Promise<Settings> {
  return (await readFrom(findFiles(options), options)).settings;
}

/** The files that were found, and what they say. */
export async function readFrom(
  found: readonly FoundSettingsFile[],
  options: LoadOptions,
  before: readonly SourceFile[] = [],
): Promise<{ settings: Settings; sources: readonly SourceFile[] }> {
  if (found.length === 0) return { settings: withoutFiles(options), sources: [] };
  const { readAndMerge } = await import('./merge.js');
  const places = found.map(({ place }) => place);
  return readAndMerge(places, options, before);
}

function withoutFiles({ root, env, home = homeFolder(), trust }: LoadOptions): Settings {
  const dataFolder = dataFolderOf({ ...(env && { env }), ...(home !== undefined && { home }) });
  const { problem, ...report } = trustState(root, [], { dataFolder, trust, home });
  return noSettings(
    report,
    problem === undefined ? [] : [{ severity: 'warning', file: 'trust.json', message: problem }],
  );
}

export interface FoundSettingsFile {
  place: SettingsPlace;
  /** Differs if the file has changed. */
  stamp: string;
}

/** The locations that exist, the highest precedence first. */
export function findFiles(options: LoadOptions): FoundSettingsFile[] {
  const found = settingsPlaces(options).flatMap((place) => {
    const stats = place.path === undefined ? undefined : look(place.path);
    // A file that the user has named is reported if it is missing.
    const isNamed = place.kind === 'flag' || place.text !== undefined;
    return stats || isNamed ? [{ place, stamp: stampOf(stats) }] : [];
  });
  // In the home folder, or through links, a project's file may be the user's own: it is then one file, the user's.
  const isUsers = ({ place, stamp }: FoundSettingsFile): boolean => place.kind === 'user' && stamp.includes(':');
  const own = new Set(found.filter(isUsers).map(({ stamp }) => stamp));
  return found.filter(({ place, stamp }) => (place.kind !== 'project' && place.kind !== 'local') || !own.has(stamp));
}

/** Differs if trust in a folder was given or revoked. */
export function trustStamp({ env, home }: LoadOptions): string {
  return stampOf(look(trustPath(dataFolderOf({ ...(env && { env }), ...(home !== undefined && { home }) }))));
}

function look(path: string): BigIntStats | 'unreadable' | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return 'unreadable'; // it is there, and reading it will tell what is wrong
  }
}

function stampOf(stats: BigIntStats | 'unreadable' | undefined): string {
  if (stats === undefined || stats === 'unreadable') return String(stats);
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
