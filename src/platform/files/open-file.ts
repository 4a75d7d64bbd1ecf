import { constants, fstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Something other than a file that holds bytes: opening it could block for ever or do something. */
export class NotARegularFile extends Error {
  readonly what: string;

  constructor(real: string, what: string) {
    super(`${real} is ${what}, not a file`);
    this.name = 'NotARegularFile';
    this.what = what;
  }
}

const MAX_TRIES = 20; // a file that is another one each time is not to be had

/** Another file was put in the place of the one that was opened, as whoever writes by renaming does. */
class ReplacedMeanwhile extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReplacedMeanwhile';
  }
}

/**
 * Opens an existing file for reading by its real path. What is not a regular file is refused before it is opened, and
 * what was opened is checked to be what the path named, so that a link put in its place meanwhile leads nowhere.
 */
export async function openForReading(real: string): Promise<{ handle: FileHandle; stats: Stats }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await openOnce(real);
    } catch (error) {
      if (!(error instanceof ReplacedMeanwhile) || tries === MAX_TRIES) throw error;
    }
  }
}

async function openOnce(real: string): Promise<{ handle: FileHandle; stats: Stats }> {
  assertRegular(real, statSync(real));
  const handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(handle.fd);
    assertRegular(real, stats);
    assertOpened(handle, real);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Fails when the handle is of another place than the real path that was opened. At once, as the looks around it are: the
 * system knows by now what they ask for, and to wait for each would take a reader longer than the file does.
 */
export function assertOpened(handle: FileHandle, real: string): void {
  const opened = placeOf(handle) ?? placeByName(handle, real);
  if (opened === `${real} (deleted)`) throw new ReplacedMeanwhile(`${real} was replaced while it was opened.`);
  if (opened !== real) {
    throw new Error(`${real} was replaced while it was opened (it led to ${opened}), so it was left alone.`);
  }
}

/** Where the system can't name what is open: the path must lead to itself, and to what was opened. */
function placeByName(handle: FileHandle, real: string): string {
  const [resolved, opened, there] = [realpathSync.native(real), fstatSync(handle.fd), statSync(real)];
  return resolved !== real || (opened.dev === there.dev && opened.ino === there.ino) ? resolved : 'another file';
}

function placeOf(handle: FileHandle): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${handle.fd}`);
  } catch {
    return undefined; // no /proc here
  }
}

export function assertRegular(real: string, stats: Stats): void {
  if (!stats.isFile()) throw new NotARegularFile(real, nameOf(stats));
}

function nameOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
