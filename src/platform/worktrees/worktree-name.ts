const MAX_CHARS = 64;

/** Why no worktree can have this name; it becomes a part of a branch name, and a file name next to `NAME.json`. */
export function worktreeNameProblem(name: string): string | undefined {
  const why = reasonAgainst(name);
  if (why === undefined) return undefined;
  return `"${name}" can't be the name of a worktree: ${why}. Use at most ${MAX_CHARS} letters, digits, ".", "_" and "-", and begin with a letter or a digit.`;
}

export const isWorktreeName = (name: string): boolean => reasonAgainst(name) === undefined;

function reasonAgainst(name: string): string | undefined {
  if (name === '') return 'it is empty';
  const [other] = /[^A-Za-z0-9_.-]/u.exec(name) ?? [];
  if (other !== undefined) return other === ' ' ? 'it contains a blank' : `it contains ${JSON.stringify(other)}`;
  if (name.length > MAX_CHARS) return `it has ${name.length} characters`;
  if (!/^[A-Za-z0-9]/.test(name)) return `it begins with "${name[0]}"`;
  if (name.endsWith('.')) return 'it ends with "."';
  if (name.includes('..')) return 'it contains ".."';
  const [ending] = /\.(?:json|lock|tmp)$/.exec(name) ?? [];
  return ending === undefined ? undefined : `it ends with "${ending}"`;
}
