// Holds session data while the data folder can't be written: a private folder in the system's temporary folder, named
// after the user and the data folder, so that the next start finds it. Another user could create a folder of that
// name first, so one is used only if it belongs to this user and no other user can write it.
//
//   helve-data-<user>-<hash>/<session>/tail-<bytes>.jsonl   the part missing from session.jsonl after that many bytes
//   helve-data-<user>-<hash>/<session>/agents/<id>/…        the same for each child agent
//   helve-data-<user>-<hash>/<session>/audit.jsonl          entries that are missing in the audit log
//   helve-data-<user>-<hash>/<session>/journal/             the journal of changes
import { lstatSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sha256 } from '../crypto.js';
import { codeOf } from '../error-code.js';
import { realPathSync } from './paths.js';

/** The same path for a given user and data folder each time. */
function usualPath(dataFolder: string): string {
  const hash = sha256().update(realPathSync(dataFolder)).digest('hex').slice(0, 16);
  return join(tmpdir(), `helve-data-${process.getuid?.() ?? 'user'}-${hash}`);
}

/** The notice for the person, once, that the data folder can't be written. */
export function unwritableNotice(
  { dataFolder, sessionId }: { dataFolder: string; sessionId: string },
  why: string,
): string {
  const kept = join(spareFolders(dataFolder)[0] ?? usualPath(dataFolder), sessionId);
  return `The data folder can't be written. ${why} Work goes on: the session, and what helve undo needs, are kept in ${kept} and moved to the data folder as soon as it can be written, at the latest by the next start of Helve.`;
}

/** The spare folder, created if it is missing. Throws if the temporary folder can't be written either. */
export function makeSpareFolder(dataFolder: string): string {
  const path = usualPath(dataFolder);
  try {
    mkdirSync(path, { mode: 0o700 });
    return path;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const [found] = spareFolders(dataFolder);
  return found ?? mkdtempSync(`${path}-`); // another user has taken the name
}

/** The spare folders of this user for the data folder: almost always none, which one lookup shows. */
export function spareFolders(dataFolder: string): string[] {
  const path = usualPath(dataFolder);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  if (isOurs(path)) return [path];
  const name = path.slice(tmpdir().length + 1);
  return readdirSync(tmpdir())
    .filter((each) => each.startsWith(`${name}-`))
    .map((each) => join(tmpdir(), each))
    .filter(isOurs);
}

/** The spare folders of this user for other data folders, as with another HELVE_HOME. */
export function otherSpareFolders(dataFolder: string): string[] {
  const [path, known] = [usualPath(dataFolder), spareFolders(dataFolder)];
  const start = basename(path).replace(/(?<![0-9a-f])[0-9a-f]+$/, '');
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(start))
    .map((name) => join(tmpdir(), name))
    .filter((folder) => isOurs(folder) && folder !== path && !known.includes(folder));
}

/** The folder of one session in the spare folder; undefined if there is none. */
export const spareFolderOf = (dataFolder: string, sessionId: string): string | undefined =>
  spareFolders(dataFolder)
    .map((folder) => join(folder, sessionId))
    .find((folder) => lstatSync(folder, { throwIfNoEntry: false }) !== undefined);

function isOurs(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return false; // the target of a symlink may have been chosen by another user
  const uid = process.getuid?.();
  return uid === undefined || (stats.uid === uid && (stats.mode & 0o077) === 0);
}
