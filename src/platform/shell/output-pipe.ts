import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

const CHUNK_BYTES = 64 * 1024; // what a pipe holds on Linux

/**
 * A pipe for a command's output that is copied to a file piece by piece, never held in memory.
 *
 * Handing the file itself to the command would be simpler but loses output: `echo x > /dev/stderr` opens it anew and
 * truncates it. Node's own pipes are sockets, on which `/dev/stderr` can't be opened at all. A named pipe works like the
 * pipe of any shell, and a reader in between keeps the limit to the byte, for a process left running too.
 */
export interface OutputPipe {
  /** Lets go of our own writing end, which is there so that the pipe does not end before its writer has come. */
  closeWriteEnd(): void;
  /** Begins to copy. What was written before waits in the pipe. */
  copyTo(target: CopyTarget): void;
  readonly bytes: number;
  /** Nobody can write any more, and all that was written is in the file. */
  readonly ended: boolean;
  /** What went wrong in writing the file, after which output is dropped. */
  readonly writeError: unknown;
  /** Waits for the end of the pipe, at most so long; what was written before the call is in the file either way. */
  drain(withinMs: number): Promise<void>;
  /** Goes on copying, but does not keep this process alive. */
  unref(): void;
  close(): void;
}

/** Room for output that several commands share. */
export interface SharedQuota {
  /** How much there is in all. */
  readonly bytes: number;
  left(): number;
  take(count: number): void;
  /** Of a file that was removed. */
  giveBack(count: number): void;
}

interface CopyTarget {
  /** Made anew, private. */
  file: string;
  maxBytes: number;
  shared?: SharedQuota | undefined;
  /** The file is full, by the limit or by the disk. Whatever comes after is dropped. */
  onFull(): void;
}

/** Opens a named pipe that is ours alone, before its writer does. */
export function openOutputPipe(name: string): OutputPipe {
  let target: (CopyTarget & { descriptor: number }) | undefined;
  let bytes = 0;
  let full = false;
  let ended = false;
  let writeError: unknown;
  const end = Promise.withResolvers<void>();

  const save = (buffer: Uint8Array, length: number): void => {
    if (full || !target) return;
    const room = Math.min(target.maxBytes - bytes, target.shared?.left() ?? Number.POSITIVE_INFINITY);
    try {
      const written = writeAll(target.descriptor, buffer, Math.min(length, room));
      bytes += written;
      target.shared?.take(written);
    } catch (error) {
      writeError = error;
    }
    if (length <= room && writeError === undefined) return;
    full = true;
    target.onFull();
  };

  // The reader comes first and does not wait for a writer; with it there, opening for writing does not wait either. A
  // command in a sandbox could have put something else in the place of the pipe.
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
      buffer: new Uint8Array(CHUNK_BYTES), // one for all pieces, so that the collector has nothing to do
      callback: (length, buffer) => {
        save(buffer, length);
        return true;
      },
    },
  });
  reader.unref();
  reader.on('error', () => reader.destroy()); // a pipe that can't be read has nothing more to say
  let writeEnd: number;
  try {
    writeEnd = openSync(name, constants.O_WRONLY | constants.O_NOFOLLOW);
  } catch (error) {
    reader.destroy();
    throw error;
  }
  reader.on('close', () => {
    ended = true;
    if (target) closeSync(target.descriptor);
    end.resolve();
  });

  return {
    closeWriteEnd: () => closeSync(writeEnd),
    copyTo(wanted) {
      target = { ...wanted, descriptor: openSync(wanted.file, 'w', 0o600) };
      reader.ref();
      reader.resume(); // or the end is never told
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
      const waited = new AbortController();
      await Promise.race([end.promise, delay(withinMs, undefined, { signal: waited.signal }).catch(() => undefined)]);
      waited.abort();
      await turn(); // in a loop that was held up the timer comes before the reading; by the next turn it is done
    },
    unref: () => void reader.unref(),
    close: () => void reader.destroy(),
  };
}

function writeAll(file: number, bytes: Uint8Array, length: number): number {
  let written = 0;
  while (written < length) written += writeSync(file, bytes, written, length - written);
  return written;
}
