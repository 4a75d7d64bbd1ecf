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

/** The patches of single files in the output of `git diff`; `what`: what the lines above the patch say. */
export function splitPatch(output: string): Array<{ path: string; patch: string; what?: string }> {
  return output
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map((part) => {
      const [, after] = /^\+\+\+ b\/(.*)$/m.exec(part) ?? [];
      const [, before] = /^--- a\/(.*)$/m.exec(part) ?? [];
      const [, named = ''] = /^diff --git a\/.* b\/(.*)$/m.exec(part) ?? [];
      const start = part.indexOf('\n@@') + 1;
      const what = headerWords(start === 0 ? part : part.slice(0, start));
      return {
        path: after ?? before ?? named,
        patch: start === 0 ? '' : part.slice(start),
        ...(what !== '' && { what }),
      };
    });
}

/** What git says about a file above its patch. */
function headerWords(header: string): string {
  const [, created] = /^new file mode (\d+)$/m.exec(header) ?? [];
  const [, deleted] = /^deleted file mode (\d+)$/m.exec(header) ?? [];
  const [, renamed] = /^rename from (.*)$/m.exec(header) ?? [];
  const [, copied] = /^copy from (.*)$/m.exec(header) ?? [];
  const [, oldMode, mode] = /^old mode \d*(\d{3})\nnew mode \d*(\d{3})$/m.exec(header) ?? [];
  const isEmpty = /^index (?:0+\.\.e69de29|e69de29\w*\.\.0+)/m.test(header);
  return [
    ...(created === undefined ? [] : ['new']),
    ...(deleted === undefined ? [] : ['deleted']),
    ...((created ?? deleted)?.startsWith('12') ? ['a link'] : []),
    ...(renamed === undefined ? [] : [`moved from ${renamed}`]),
    ...(copied === undefined ? [] : [`copied from ${copied}`]),
    ...(mode === undefined ? [] : [`mode ${mode}, before ${oldMode}`]),
    ...(/^(?:Binary files |GIT binary patch)/m.test(header) ? ['not text'] : []),
    ...(isEmpty ? ['empty'] : []),
  ].join(', ');
}
