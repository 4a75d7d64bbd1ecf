// Reads that treat a missing or unreadable path as empty, for callers to whom that makes no difference.

import { accessSync, constants, type Dirent, readdirSync, statSync } from 'node:fs';
import { readRegularFile } from './read-regular-file.js';

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

export function textIn(file: string): string {
  try {
    return readRegularFile(file);
  } catch {
    return '';
  }
}

/** Whether the path is a folder, or a symlink to one. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** Whether the process may run the file, or enter the folder. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
