import { fstatSync } from 'node:fs';
import type { WriteOut } from './control-channel.js';

const EVERY_MS = 2_000;

/**
 * A dead host is noticed only by a failing write, and a long command writes nothing. So once the parent process is
 * gone, an empty line is sent now and then: if the pipe is closed, the error on stdout ends the session.
 */
export function probeOnceOrphaned(write: WriteOut): () => void {
  const stats = fstatSync(1);
  if (!stats.isFIFO() && !stats.isSocket()) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) void write({ type: 'keep_alive' });
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
