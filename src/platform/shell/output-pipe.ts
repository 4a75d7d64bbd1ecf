import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

const CHUNK_BYTES = 64 * 1024; // the capacity of a pipe on Linux
const MAX_HELD_BYTES = 8 * 1024; // most outputs are shorter

/**
 * A pipe for a command's output that is copied to a file in chunks. At most a few kilobytes are held in memory, of
 * commands that have ended soon after with no more than that.
 *
 * Handing the file itself to the command would be simpler but loses output: `echo x > /dev/stderr` reopens and
 * truncates it. Node's own pipes are sockets, on which `/dev/stderr` can't be opened at all. A named pipe works like
 * the pipe of any shell, and copying enforces the limit to the byte, for a background process too.
 */
export interface OutputPipe {
  /** Closes our own write end, which keeps the pipe open until its writer has opened it. */
  closeWriteEnd(): void;
  /** Starts copying. Earlier output waits in the pipe. */
  copyTo(target: CopyTarget): void;
  /** Puts what is held into the file, and then all that follows. Resolves with its path, unless that failed. */
  save(): Promise<string | undefined>;
  /** All output so far, while there is no file. */
  readonly held: Buffer | undefined;
  /** The file, once there is one. */
  readonly file: string | undefined;
  readonly bytes: number;
  /** All writers have closed the pipe, and all output is in the file or held. */
  readonly ended: boolean;
  /** An error while writing the file, after which output is dropped. */
  readonly writeError: unknown;
  /** Waits for the end of the pipe, up to a timeout; output written before the call is copied either way. */
  drain(withinMs: number): Promise<void>;
  /** Continues copying without keeping this process alive. */
  unref(): void;
  close(): void;
}

/** A quota for output that several commands share. */
export interface SharedQuota {
  /** The total quota. */
  readonly bytes: number;
  left(): number;
  take(count: number): void;
  /** Releases the bytes of a removed file. */
  giveBack(count: number): void;
}

interface CopyTarget {
  /** Created as a new, private file. A function names it when it is needed: until then a short output is held. */
  file: string | (() => Promise<string>);
  maxBytes: number;
  shared?: SharedQuota | undefined;
  /** The file has reached its limit, or the disk is full. Further output is dropped. */
  onFull(): void;
}

/** Opens a private named pipe, before its writer does. */
export function openOutputPipe(name: string): OutputPipe {
  let target: CopyTarget | undefined;
  let path: string | undefined;
  let descriptor: number | undefined;
  let held: Buffer[] = [];
  let saving: Promise<void> | undefined;
  let bytes = 0;
  let full = false;
  let ended = false;
  let writeError: unknown;
  const end = Promise.withResolvers<void>();

  const fail = (error: unknown): void => {
    writeError = error;
    full = true;
    target?.onFull();
  };
  const take = (buffer: Uint8Array, length: number): void => {
    if (full || !target) return;
    const room = Math.min(target.maxBytes - bytes, target.shared?.left() ?? Number.POSITIVE_INFINITY);
    const taken = Math.min(length, room);
    try {
      if (descriptor !== undefined) writeAll(descriptor, buffer, taken);
      else held.push(Buffer.from(buffer.subarray(0, taken)));
    } catch (error) {
      fail(error);
      return;
    }
    bytes += taken;
    target.shared?.take(taken);
    if (bytes > MAX_HELD_BYTES) void save();
    if (length <= room) return;
    full = true;
    target.onFull();
  };
  const save = async (): Promise<string | undefined> => {
    if (target && typeof target.file !== 'string') saving ??= saveIn(target.file);
    await saving;
    return path;
  };
  const saveIn = async (nameFile: () => Promise<string>): Promise<void> => {
    reader.pause();
    try {
      open(await nameFile());
      const before = Buffer.concat(held);
      if (descriptor !== undefined) writeAll(descriptor, before, before.length);
      if (descriptor !== undefined && ended) closeSync(descriptor);
    } catch (error) {
      fail(error);
    }
    held = [];
    reader.resume();
  };
  const open = (file: string): void => {
    descriptor = openSync(file, 'w', 0o600);
    path = file;
  };

  // The reader is opened first, non-blocking; then opening for writing does not block either. A sandboxed command
  // could have replaced the pipe.
  const readEnd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  if (!fstatSync(readEnd).isFIFO()) {
    closeSync(readEnd);
    throw new Error(`${name} is not a pipe`);
  }
  const reader = new Socket({
    fd: readEnd,
    readable: true,
    writable: false,
    onread: {
      buffer: Buffer.allocUnsafeSlow(CHUNK_BYTES), // one buffer for all chunks, to avoid garbage
      callback: (length, buffer) => {
        take(buffer, length);
        return true;
      },
    },
  });
  reader.unref();
  reader.on('error', () => reader.destroy()); // an unreadable pipe has no more output
  let writeEnd: number | undefined;
  try {
    writeEnd = openSync(name, constants.O_WRONLY | constants.O_NOFOLLOW);
  } catch (error) {
    reader.destroy();
    throw error;
  }
  reader.on('close', () => {
    ended = true;
    if (descriptor !== undefined) closeSync(descriptor);
    end.resolve();
  });

  const closeWriteEnd = (): void => {
    const open = writeEnd;
    writeEnd = undefined;
    if (open !== undefined) closeSync(open);
  };

  return {
    closeWriteEnd,
    copyTo(wanted) {
      target = wanted;
      if (typeof wanted.file === 'string') open(wanted.file);
      reader.ref();
      reader.resume(); // otherwise the end is never reported
    },
    save,
    get held() {
      return path === undefined ? Buffer.concat(held) : undefined;
    },
    get file() {
      return path;
    },
    get bytes() {
      return bytes;
    },
    get ended() {
      return ended;
    },
    get writeError() {
      return writeError;
    },
    async drain(withinMs) {
      const timeUp = Promise.withResolvers<void>();
      const timer = setTimeout(timeUp.resolve, withinMs);
      await Promise.race([end.promise, timeUp.promise]);
      clearTimeout(timer);
      await turn(); // after a blocked event loop the timer fires before the read; the next turn handles it
    },
    unref: () => void reader.unref(),
    close() {
      closeWriteEnd();
      reader.destroy();
    },
  };
}

function writeAll(file: number, bytes: Uint8Array, length: number): number {
  let written = 0;
  while (written < length) written += writeSync(file, bytes, written, length - written);
  return written;
}
