import type { PermissionMode } from '../contract/permission.js';
import type { WatchedSettings } from '../settings/watch.js';
import type { LoadedSettings } from './settings.js';

interface Content {
  watched: WatchedSettings;
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  permissionMode: PermissionMode | undefined;
  bypassDisabledBy: string | undefined;
}

/** What a program gets to see of settings is what is wrong with them. */
export class SettingsContent implements LoadedSettings {
  readonly content: Content;

  constructor(content: Content) {
    this.content = content;
  }

  get problems(): readonly string[] {
    return this.content.watched.current.problems.map(({ message }) => message);
  }
}

export function contentOf(settings: LoadedSettings): Content {
  if (settings instanceof SettingsContent) return settings.content;
  throw new TypeError('The option settings takes what loadSettings gives. Load them first, and hand that in.');
}
