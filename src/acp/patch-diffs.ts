// A patch as pairs of texts: editors want to know what a part of a file was and what it becomes.

import { isAbsolute, join } from 'node:path';
import type { AcpToolContent } from './messages.js';

type AcpDiff = Extract<AcpToolContent, { type: 'diff' }>;

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** One pair for each hunk. `root` makes names in the patch absolute; `path` is that of a patch that names no file. */
export function diffsOf(patch: string, { path, root }: { path: string; root: string }): AcpDiff[] {
  const absolute = (name: string): string => (isAbsolute(name) ? name : join(root, name));
  const diffs: AcpDiff[] = [];
  let name = path;
  let isNew = false;
  let hunk: { before: string[]; after: string[]; beforeLeft: number; afterLeft: number } | undefined;
  const close = (): void => {
    if (!hunk) return;
    const oldText = isNew && hunk.before.length === 0 ? null : hunk.before.join('\n');
    diffs.push({ type: 'diff', path: absolute(name), oldText, newText: hunk.after.join('\n') });
    hunk = undefined;
    isNew = false;
  };
  for (const line of patch.split('\n')) {
    if (hunk && (hunk.beforeLeft > 0 || hunk.afterLeft > 0)) {
      const text = line.slice(1);
      if (line.startsWith('\\')) continue; // "No newline at end of file"
      if (!line.startsWith('+')) {
        hunk.before.push(text);
        hunk.beforeLeft -= 1;
      }
      if (!line.startsWith('-')) {
        hunk.after.push(text);
        hunk.afterLeft -= 1;
      }
      continue;
    }
    const head = HUNK.exec(line);
    if (head) {
      close();
      const [, before = '1', after = '1'] = head;
      isNew ||= line.startsWith('@@ -0,0 ');
      hunk = { before: [], after: [], beforeLeft: Number(before), afterLeft: Number(after) };
    } else if (line.startsWith('--- ')) {
      close();
      isNew = line.startsWith('--- /dev/null');
    } else if (line.startsWith('+++ ')) name = namedFile(line.slice(4)) ?? path;
  }
  close();
  return diffs;
}

/** Git puts `b/` before names, and some programs a time after a tab. */
function namedFile(text: string): string | undefined {
  const [name = ''] = text.split('\t', 1);
  if (name === '/dev/null' || name.trim() === '') return undefined;
  return name.startsWith('b/') ? name.slice(2) : name;
}
