import { fstatSync } from 'node:fs';
import type { WriteOut } from './control-channel.js';

const EVERY_MS = 2_000;

/**
 * A host that dies is noticed by a write alone, and a long command writes nothing. So once whoever started us has gone,
 * a line that means nothing is sent now and then: where nobody reads it, the output's own error ends the session.
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
