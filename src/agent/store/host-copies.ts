// The copies of a conversation that Helve has written for another program, so that they go when the session goes. The
// list of them is in the session's folder. A file is listed only if Helve has created it, and it is removed only if every
// message in it is still one that Helve wrote: another program may have gone on in it.
import {
  closeSync,
  createReadStream,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  writeSync,
} from 'node:fs';
import { unlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { codeOf } from '../../platform/error-code.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { makePrivateFolder, openFlags } from '../../platform/files/private-files.js';
import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';
import { type SessionFolder, sessionFolder, sessionsFolder } from './session-folder.js';

const LIST = 'copies.jsonl';

/** One line of the list. `version` is that of the Helve that writes, as it is in each message of the copy. */
interface HostCopy {
  id: string;
  file: string;
  version: string;
}

/** To be called before the first message of a process is written to the copy. Throws if it can't be recorded. */
export function recordHostCopy(dataFolder: string, { id, file, version }: HostCopy): void {
  mkdirPrivate(dirname(file));
  const copy: HostCopy = { id, file: join(realpathSync(dirname(file)), basename(file)), version };
  const folder = sessionFolder(dataFolder, id);
  const known = copiesIn(folder.path);
  const isOurs = known.some((one) => one.file === copy.file);
  if (!isOurs && lstatSync(copy.file, { throwIfNoEntry: false })) return; // another program's
  if (known.some((one) => one.file === copy.file && one.version === version)) return;
  makePrivateFolder(sessionsFolder(dataFolder));
  makePrivateFolder(folder.path);
  const list = openSync(join(folder.path, LIST), openFlags.append, 0o600);
  try {
    writeSync(list, `${JSON.stringify(copy)}\n`);
  } finally {
    closeSync(list);
  }
}

/** Removes the copies that the folder of a session lists. Returns a sentence about each that had to be left. */
export async function removeHostCopies(path: SessionFolder['path']): Promise<string[]> {
  const byFile = Map.groupBy(copiesIn(path), ({ file }) => file);
  const left: string[] = [];
  for (const [file, copies] of byFile) {
    const why = await removeCopy(file, copies).catch((error: unknown) => messageOf(error));
    if (why !== undefined) left.push(`The copy of the conversation in ${file} was left: ${why}.`);
  }
  return left;
}

/** Returns why it was left; undefined if it is gone. */
async function removeCopy(file: string, copies: readonly HostCopy[]): Promise<string | undefined> {
  let descriptor: number;
  try {
    if (realpathSync(dirname(file)) !== dirname(file)) return 'its folder is a symbolic link now';
    descriptor = openSync(file, openFlags.read);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
  try {
    const { ino, dev, uid } = fstatSync(descriptor);
    if (!fstatSync(descriptor).isFile() || uid !== process.getuid?.()) return 'it is not a file that you own';
    if (!(await isAllOurs(descriptor, copies))) return 'it has messages that Helve did not write';
    const now = lstatSync(file);
    if (now.ino !== ino || now.dev !== dev) return 'it was replaced meanwhile';
  } finally {
    closeSync(descriptor);
  }
  await unlink(file);
  return undefined;
}

/** Other entries, such as a title that the host has given, belong to the conversation. */
async function isAllOurs(descriptor: number, copies: readonly HostCopy[]): Promise<boolean> {
  let isOurs = true; // read to the end: the file is closed after it, and a read must not be under way then
  const stream = createReadStream('', { fd: descriptor, autoClose: false, encoding: 'utf8', start: 0 });
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    const entry = parsed(line);
    if (!isObject(entry) || (entry['type'] !== 'user' && entry['type'] !== 'assistant')) continue;
    const { sessionId, version } = entry;
    isOurs &&= copies.some((copy) => copy.id === sessionId && copy.version === version);
  }
  return isOurs;
}

function copiesIn(path: string): HostCopy[] {
  let list: number;
  try {
    list = openSync(join(path, LIST), openFlags.read);
  } catch {
    return []; // most sessions have no copy
  }
  let text: string;
  try {
    text = readFileSync(list, 'utf8');
  } finally {
    closeSync(list);
  }
  return text.split('\n').map(parsed).filter(isHostCopy);
}

/** The name of the file is that of the session, so that a damaged list can name no other file. */
function isHostCopy(value: unknown): value is HostCopy {
  if (!isObject(value)) return false;
  const { id, file, version } = value;
  if (typeof id !== 'string' || typeof file !== 'string' || typeof version !== 'string') return false;
  return isAbsolute(file) && join(file) === file && basename(file) === `${id}.jsonl`;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // cut off by a kill
  }
}
