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

/** What has no more than this is read and written at once: to wait for a thread that does it would take longer. */
export const SMALL_BYTES = 262_144;

const MAX_BYTES = 2 ** 31 - 1; // more can't be read in one go, nor is it a good idea to hold it

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

  /** What it held when it was opened, or less where it is shorter by now: one that grows all the time has no end. */
  async readFile(): Promise<Buffer> {
    const { size } = this.stats;
    if (size > MAX_BYTES) {
      const message = `A file of ${size} bytes can't be read at once, since it has more than ${MAX_BYTES}.`;
      throw Object.assign(new RangeError(message), { code: 'ERR_FS_FILE_TOO_LARGE' });
    }
    const parts: Buffer[] = [];
    let done = 0;
    // Some file systems make content up while it is read, and say that there is none.
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
 * Fails when what is open is of another place than the real path that was opened. At once, as the looks around it are:
 * the system knows by now what they ask for, and to wait for each would take a reader longer than the file does.
 */
export function assertSameFile(fd: number, real: string): void {
  const opened = placeOf(fd) ?? placeByName(fd, real);
  if (opened === `${real} (deleted)`) throw new ReplacedMeanwhile(`${real} was replaced while it was opened.`);
  if (opened !== real) {
    throw new Error(`${real} was replaced while it was opened (it led to ${opened}), so it was left alone.`);
  }
}

/** Where the system can't name what is open: the path must lead to itself, and to what was opened. */
function placeByName(fd: number, real: string): string {
  const [resolved, opened, there] = [realpathSync.native(real), fstatSync(fd), statSync(real)];
  return resolved !== real || (opened.dev === there.dev && opened.ino === there.ino) ? resolved : 'another file';
}

function placeOf(fd: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
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
