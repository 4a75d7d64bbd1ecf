// For tests: a machine with a home, a project and an administrator, in a temporary folder.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LoadOptions } from '../settings/load.js';

export type Files = Readonly<Record<string, unknown>>;

export interface Machine extends LoadOptions {
  home: string;
  env: Record<string, string>;
  dataFolder: string;
  path(name: string): string;
  /** Texts are written as they are, anything else as JSON. */
  write(name: string, content: unknown): void;
  text(name: string): string;
}

export const project = 'project/.helve/settings.json';
export const local = 'project/.helve/settings.local.json';
export const user = 'home/.helve/settings.json';
export const managed = 'managed/managed-settings.json';

export function machine(files: Files = {}): Machine {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'helve-settings-')));
  const path = (name: string): string => join(folder, name);
  const write = (name: string, content: unknown): void => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), typeof content === 'string' ? content : JSON.stringify(content));
  };
  for (const name of ['home', 'project', 'managed']) mkdirSync(path(name));
  for (const [name, content] of Object.entries(files)) write(name, content);
  return {
    root: path('project'),
    home: path('home'),
    managedFolder: path('managed'),
    env: {},
    dataFolder: path('home/.helve'),
    path,
    write,
    text: (name) => readFileSync(path(name), 'utf8'),
  };
}
