// Settings that are changed while a session runs. Nobody is told by the system: whoever begins a turn asks.
import { type FoundFile, findFiles, type LoadOptions, readFrom, trustStamp } from './load.js';
import { isFatal, type SettingsProblem, SettingsRefused } from './report.js';
import type { Settings } from './settings.js';

export interface WatchedSettings {
  /** What holds now. */
  readonly current: Settings;
  /**
   * Looks whether a file has come, gone or changed, and if so reads all of them anew. A few looks at the disk where
   * nothing has. A file that is broken, be it that somebody is writing it, goes on to refuse what it refused before.
   */
  refresh(): Promise<Refreshed>;
}

export interface Refreshed {
  changed: boolean;
  settings: Settings;
  /** What is wrong that was not wrong before. */
  problems: readonly SettingsProblem[];
}

/** Loads the settings, and again when they change. Throws `SettingsRefused` as loading does, on the first time only. */
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
    refresh() {
      refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
  };
}

const isSame = (one: readonly FoundFile[], other: readonly FoundFile[]): boolean =>
  one.length === other.length &&
  one.every(({ place, stamp }, index) => place.path === other[index]?.place.path && stamp === other[index]?.stamp);
