// Unified patches as text: turned around, and taken apart.

/** The patch from the second content to the first. Text that is not a patch stays as it is. */
export function reversePatch(patch: string): string {
  const out: string[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = (): void => {
    out.push(...removed, ...added);
    removed = [];
    added = [];
  };
  let isInHunk = false;
  for (const line of patch.split('\n')) {
    const [, first, second, rest] = /^@@ -(\S+) \+(\S+) @@(.*)$/.exec(line) ?? [];
    if (first !== undefined && second !== undefined) {
      flush();
      isInHunk = true;
      out.push(`@@ -${second} +${first} @@${rest ?? ''}`);
    } else if (isInHunk && line.startsWith('+')) removed.push(`-${line.slice(1)}`);
    else if (isInHunk && line.startsWith('-')) added.push(`+${line.slice(1)}`);
    else if (line.startsWith('\\')) (removed.length > 0 && added.length === 0 ? removed : added).push(line);
    else {
      flush();
      out.push(line);
    }
  }
  flush();
  return out.join('\n');
}

/** The patches of single files in the output of `git diff`. */
export function splitPatch(output: string): Array<{ path: string; patch: string }> {
  return output
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map((part) => {
      const [, after] = /^\+\+\+ b\/(.*)$/m.exec(part) ?? [];
      const [, before] = /^--- a\/(.*)$/m.exec(part) ?? [];
      const [, named = ''] = /^diff --git a\/.* b\/(.*)$/m.exec(part) ?? [];
      return {
        path: after ?? before ?? named,
        patch: part.includes('\n@@') ? part.slice(part.indexOf('\n@@') + 1) : '',
      };
    });
}
