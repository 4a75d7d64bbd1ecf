const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;

/**
 * A patch whose long replacements alternate between removed and added lines, at most `size` of each at a time, so that
 * the first screen of a large edit shows both. Line numbers stay the same, since each side keeps its order.
 */
export function pairPatch(patch: string, size: number): string {
  const out: string[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  let isInHunk = false;
  const flush = (): void => {
    if (removed.length > size && added.length > size) {
      for (let at = 0; at < Math.max(removed.length, added.length); at += size) {
        out.push(...removed.slice(at, at + size), ...added.slice(at, at + size));
      }
    } else {
      out.push(...removed, ...added);
    }
    removed = [];
    added = [];
  };
  for (const line of patch.split('\n')) {
    if (HUNK.test(line)) {
      flush();
      isInHunk = true;
      out.push(line);
    } else if (isInHunk && line.startsWith('-')) {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (isInHunk && line.startsWith('+')) {
      added.push(line);
    } else {
      flush();
      out.push(line);
    }
  }
  flush();
  return out.join('\n');
}
