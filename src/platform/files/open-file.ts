import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  read,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { promisify } from 'node:util';

/** Files up to this size are read and written synchronously: a round trip through the thread pool would take longer. */
export const SMALL_BYTES = 262_144;

const MAX_BYTES = 2 ** 31 - 1; // more can't be read in one call, and should not be held in memory

const readInThread = promisify(read);

/** A file that is open for reading. */
export class OpenedFile {
  readonly fd: number;
  readonly stats: Stats;

  constructor(fd: number, stats: Stats) {
    this.fd = fd;
    this.stats = stats;
  }

  async read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }> {
    if (this.stats.size <= SMALL_BYTES) return { bytesRead: readSync(this.fd, buffer, offset, length, position) };
    return await readInThread(this.fd, buffer, offset, length, position);
  }

  /** The content at the time it was opened, or less if the file has shrunk; a file that keeps growing has no end. */
  async readFile(): Promise<Buffer> {
    const { size } = this.stats;
    if (size > MAX_BYTES) {
      const message = `A file of ${size} bytes can't be read at once, since it has more than ${MAX_BYTES}.`;
      throw Object.assign(new RangeError(message), { code: 'ERR_FS_FILE_TOO_LARGE' });
    }
    const parts: Buffer[] = [];
    let done = 0;
    // Some file systems generate content on read and report a size of 0.
    while (size === 0 || done < size) {
      const part = Buffer.allocUnsafe(size === 0 ? SMALL_BYTES : size - done);
      const { bytesRead } = await this.read(part, 0, part.length, done);
      if (bytesRead === 0) break;
      parts.push(part.subarray(0, bytesRead));
      done += bytesRead;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** Not a regular file: opening it could block forever or have side effects. */
export class NotARegularFile extends Error {
  readonly what: string;

  constructor(real: string, what: string) {
    super(`${real} is ${what}, not a file`);
    this.name = 'NotARegularFile';
    this.what = what;
  }
}

const MAX_TRIES = 20; // a file that is replaced each time can't be opened

/** The file at the path was replaced after it was opened, as programs that write by renaming do. */
class ReplacedMeanwhile extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReplacedMeanwhile';
  }
}

/**
 * Opens an existing file for reading by its real path. Anything but a regular file is refused before it is opened,
 * and the opened file is verified to be the one at the path, so that replacing it with a symlink can't redirect the
 * read.
 */
export async function openForReading(real: string): Promise<{ handle: OpenedFile; stats: Stats }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return openOnce(real);
    } catch (error) {
      if (!(error instanceof ReplacedMeanwhile) || tries === MAX_TRIES) throw error;
    }
  }
}

function openOnce(real: string): { handle: OpenedFile; stats: Stats } {
  assertRegular(real, statSync(real));
  const fd = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    assertRegular(real, stats);
    assertSameFile(fd, real);
    return { handle: new OpenedFile(fd, stats), stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * Fails if the open file does not lie at the real path that was opened. Synchronous, like the lookups around it: the
 * system has the answers cached, and awaiting each would take longer than reading the file.
 */
export function assertSameFile(fd: number, real: string): void {
  const opened = placeOf(fd) ?? placeByName(fd, real);
  if (opened === `${real} (deleted)`) throw new ReplacedMeanwhile(`${real} was replaced while it was opened.`);
  if (opened !== real) {
    throw new Error(`${real} was replaced while it was opened (it led to ${opened}), so it was left alone.`);
  }
}

/** If the system can't name the open file: the path must resolve to itself, and to the opened file. */
function placeByName(fd: number, real: string): string {
  const [resolved, opened, there] = [realpathSync.native(real), fstatSync(fd), statSync(real)];
  return resolved !== real || (opened.dev === there.dev && opened.ino === there.ino) ? resolved : 'another file';
}

function placeOf(fd: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined; // there is no /proc
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
