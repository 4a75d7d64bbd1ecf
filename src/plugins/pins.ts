// The files of an approved content. The hash decides; this list only says which files have changed since.
import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '../platform/files/private-file.js';
import { isObject } from '../platform/is-object.js';
import type { ContentEntry, PluginContent } from './plugin-content.js';
import { pluginFolders } from './plugin-folders.js';

export const pinFile = (dataFolder: string, id: string): string => join(pluginFolders(dataFolder).pins, `${id}.json`);

export async function writePin(dataFolder: string, id: string, { entries }: PluginContent): Promise<void> {
  await writePrivateFile(pinFile(dataFolder, id), `${JSON.stringify(entries)}\n`);
}

/** Undefined if there is no such list, or an unusable one. */
export function readPin(dataFolder: string, id: string): readonly ContentEntry[] | undefined {
  try {
    const value: unknown = JSON.parse(readPrivateFile(pinFile(dataFolder, id)) ?? '');
    return Array.isArray(value) && value.every(isEntry) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isEntry = (value: unknown): value is ContentEntry =>
  isObject(value) && ['path', 'kind', 'content'].every((field) => typeof value[field] === 'string');
