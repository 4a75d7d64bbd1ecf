import type { LoadedSettings } from '../contract/options.js';
import type { PermissionMode } from '../contract/permission.js';
import type { WatchedSettings } from '../settings/watch.js';

interface Content {
  watched: WatchedSettings;
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  permissionMode: PermissionMode | undefined;
  bypassDisabledBy: string | undefined;
}

/** Programs see only the problems of settings, so that a program that logs the object does not log keys of the environment. */
export class SettingsContent implements LoadedSettings {
  readonly #content: Content;

  constructor(content: Content) {
    this.#content = content;
  }

  get problems(): readonly string[] {
    return this.#content.watched.current.problems.map(({ message }) => message);
  }

  static contentOf(settings: LoadedSettings): Content | undefined {
    return settings instanceof SettingsContent ? settings.#content : undefined;
  }
}

export function contentOf(settings: LoadedSettings): Content {
  const content = SettingsContent.contentOf(settings);
  if (content) return content;
  throw new TypeError('The option settings must be a result of loadSettings. Load them first, and pass that result.');
}
