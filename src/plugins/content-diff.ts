// What has changed between two contents of a plugin, for a person who decides about it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unifiedPatch } from '../platform/text/diff.js';
import { visible } from '../platform/text/visible.js';
import type { ContentEntry } from './plugin-content.js';

const MAX_FILES = 200;
const MAX_PATCH_LINES = 400;
const MAX_TEXT_BYTES = 256 * 1024;

interface Side {
  folder: string;
  entries: readonly ContentEntry[];
}

/** Lines for people: each file that was added, removed or changed, and then the changed texts. */
export function describeChange(before: Side, after: Side): string[] {
  const old = new Map(before.entries.map((entry) => [entry.path, entry]));
  const fresh = new Map(after.entries.map((entry) => [entry.path, entry]));
  const removed = before.entries.filter(({ path, kind }) => kind !== 'folder' && !fresh.has(path));
  const touched = after.entries.filter(({ path, kind, content }) => {
    const was = old.get(path);
    return kind !== 'folder' && (was?.kind !== kind || was.content !== content);
  });
  const summary = [
    ...removed.map(({ path }) => `removed  ${shown(path)}`),
    ...touched.map((entry) => `${wordFor(old.get(entry.path), entry).padEnd(8)} ${shown(entry.path)}`),
  ];
  const patches: string[] = [];
  for (const entry of touched) {
    if (patches.length > MAX_PATCH_LINES) break;
    const [was, now] = [textOf(before, old.get(entry.path)), textOf(after, entry)];
    if (was === undefined || now === undefined) continue;
    patches.push(...visible(unifiedPatch(entry.path, was, now)).split('\n'));
  }
  return [...limited(summary, MAX_FILES, 'files'), ...limited(patches, MAX_PATCH_LINES, 'lines')];
}

function wordFor(was: ContentEntry | undefined, now: ContentEntry): string {
  if (!was) return now.kind === 'link' ? 'link' : 'added';
  if (was.content === now.content) return now.kind === 'program' ? 'runs now' : 'mode';
  return 'changed';
}

/** An added file is compared with an empty one. */
function textOf({ folder }: Side, entry: ContentEntry | undefined): string | undefined {
  if (!entry) return '';
  if (entry.kind === 'link') return `link to ${entry.content}\n`;
  try {
    const bytes = readFileSync(join(folder, entry.path));
    return bytes.length > MAX_TEXT_BYTES || bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch {
    return undefined; // a copy that was tampered with may lack it
  }
}

const limited = (lines: readonly string[], most: number, what: string): string[] =>
  lines.length <= most ? [...lines] : [...lines.slice(0, most), `… and ${lines.length - most} more ${what}`];

const shown = (path: string): string => visible(path);
