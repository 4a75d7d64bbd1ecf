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

  /** All of it, also where it is longer by now than it was. */
  async readFile(): Promise<Buffer> {
    const parts: Buffer[] = [];
    let size = 0;
    for (let wanted = this.stats.size + 1; ; wanted = SMALL_BYTES) {
      const part = Buffer.allocUnsafe(wanted);
      const { bytesRead } = await this.read(part, 0, wanted, size);
      size += bytesRead;
      parts.push(part.subarray(0, bytesRead));
      if (bytesRead === 0 || size === this.stats.size) break;
    }
    return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
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
    assertOpened(fd, real);
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
export function assertOpened(fd: number, real: string): void {
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
