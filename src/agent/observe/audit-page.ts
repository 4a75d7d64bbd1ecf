// Entries of an audit log from a position on, without reading or checking the rest of it: see `checkAudit` for that.
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../platform/error-code.js';
import { openFlags } from '../../platform/files/private-files.js';
import { isObject } from '../../platform/is-object.js';
import { parseJson } from '../../platform/parse-json.js';

const CHUNK_BYTES = 256 * 1024;
const LINE_BREAK = 0x0a;

/** An entry with the position after it, in bytes. */
export interface PagedEntry {
  entry: Readonly<Record<string, unknown>>;
  start: number;
  end: number;
}

/** Complete entries from that position on; none if there is no log. A damaged line is left out. */
export function* auditFrom(folder: string, from: number): Generator<PagedEntry, void, void> {
  let descriptor: number;
  try {
    descriptor = openSync(join(folder, 'audit.jsonl'), openFlags.read);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let rest = Buffer.alloc(0);
    let start = from; // of the rest, in the file
    for (;;) {
      const count = readSync(descriptor, chunk, 0, CHUNK_BYTES, start + rest.length);
      if (count === 0) return;
      const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
      let at = 0;
      for (let end = bytes.indexOf(LINE_BREAK); end >= 0; end = bytes.indexOf(LINE_BREAK, at)) {
        const entry = parseJson(bytes.toString('utf8', at, end));
        if (isObject(entry)) yield { entry, start: start + at, end: start + end + 1 };
        at = end + 1;
      }
      rest = bytes.subarray(at);
      start += at;
    }
  } finally {
    closeSync(descriptor);
  }
}
