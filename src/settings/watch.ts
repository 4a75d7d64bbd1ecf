// Detects changes of settings during a session. There is no file watcher: the start of each turn checks.
import type { LoadedSettings } from '../contract/options.js';
import { type FoundSettingsFile, findFiles, type LoadOptions, readFrom, trustStamp } from './load.js';
import type { Settings } from './settings.js';
import { isFatal, type SettingsProblem, SettingsRefused } from './settings-problem.js';

export interface WatchedSettings extends LoadedSettings {
  /** The effective settings now. */
  readonly current: Settings;
  /**
   * Checks whether a file was added, removed or changed, and if so reads all of them again. Costs a few `stat` calls if
   * nothing has changed. While a file is invalid (say, half saved), its last valid restrictions stay in force.
   */
  refresh(): Promise<Refreshed>;
}

export interface Refreshed {
  changed: boolean;
  settings: Settings;
  /** Problems that are new. */
  problems: readonly SettingsProblem[];
}

/** Loads the settings, and again when they change. Throws `SettingsRefused` like loading does, but only the first time. */
export async function watchSettings(options: LoadOptions): Promise<WatchedSettings> {
  let [found, trust] = [findFiles(options), trustStamp(options)];
  let { settings, sources } = await readFrom(found, options);
  const fatal = settings.problems.filter(isFatal);
  if (fatal.length > 0) throw new SettingsRefused(fatal);
  let refreshing: Promise<Refreshed> | undefined;

  const refresh = async (): Promise<Refreshed> => {
    const [now, trustNow] = [findFiles(options), trustStamp(options)];
    if (isSame(found, now) && trust === trustNow) return { changed: false, settings, problems: [] };
    const known = new Set(settings.problems.map(({ message }) => message));
    ({ settings, sources } = await readFrom(now, options, sources));
    [found, trust] = [now, trustNow];
    return { changed: true, settings, problems: settings.problems.filter(({ message }) => !known.has(message)) };
  };
  return {
    get current() {
      return settings;
    },
    get problems() {
      return settings.problems.map(({ message }) => message);
    },
    refresh() {
      refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
  };
}

const isSame = (one: readonly FoundSettingsFile[], other: readonly FoundSettingsFile[]): boolean =>
  one.length === other.length &&
  one.every(({ place, stamp }, index) => place.path === other[index]?.place.path && stamp === other[index]?.stamp);
