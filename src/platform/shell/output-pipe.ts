import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

const CHUNK_BYTES = 64 * 1024; // the capacity of a pipe on Linux

/**
 * A pipe for a command's output that is copied to a file in chunks, never held in memory.
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
  readonly bytes: number;
  /** All writers have closed the pipe, and all output is in the file. */
  readonly ended: boolean;
  /** An error while writing the file, after which output is dropped. */
  readonly writeError: unknown;
  /** Waits for the end of the pipe, up to a timeout; output written before the call is in the file either way. */
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
  /** Created as a new, private file. */
  file: string;
  maxBytes: number;
  shared?: SharedQuota | undefined;
  /** The file has reached its limit, or the disk is full. Further output is dropped. */
  onFull(): void;
}

/** Opens a private named pipe, before its writer does. */
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
      buffer: new Uint8Array(CHUNK_BYTES), // one buffer for all chunks, to avoid garbage
      callback: (length, buffer) => {
        save(buffer, length);
        return true;
      },
    },
  });
  reader.unref();
  reader.on('error', () => reader.destroy()); // an unreadable pipe has no more output
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
      reader.resume(); // otherwise the end is never reported
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
      await turn(); // after a blocked event loop the timer fires before the read; the next turn handles it
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
