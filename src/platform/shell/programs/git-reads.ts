// The files that git's words name: revisions, files of revisions, and pathspecs, of which all but plain names may
// match any file of the repository.
import { type OptionTable, type ParsedArguments, parseOptions, touch } from './options.js';
import { known, type ShellField, type Touch } from './program.js';

/** The whole working tree. Its root is known only from the disk, so the directory stands for it. */
export const wholeTree = (): Touch[] => touch('read-tree', known('.'));

/** Operands before `--`, which may be revisions or files, and those after it, which are pathspecs. */
export function splitOperands(
  args: readonly ShellField[],
  table: OptionTable,
  parsed: ParsedArguments,
): { before: readonly ShellField[]; behind: readonly ShellField[] } {
  const at = args.findIndex(({ value }) => value === '--');
  if (at < 0) return { before: parsed.operands, behind: [] };
  const first = parseOptions(args.slice(0, at), table);
  // An option that lacks its value takes the `--`.
  if (first.problem !== undefined) return { before: parsed.operands, behind: [] };
  return { before: first.operands, behind: args.slice(at + 1) };
}

/** Whether a pathspec is a plain name, which matches that file or folder only. */
export const isPlainPathspec = ({ value }: ShellField): boolean =>
  value === undefined || (value !== '' && !value.startsWith(':') && !/[*?[\]\\]/.test(value));

/** For `HEAD:src/a.ts` or `:0:a.ts`, the part after the revision; a colon in braces belongs to the revision. */
export function fileOfRevision(value: string): string | undefined {
  const staged = /^:(?:[0-3]:)?([^/!^(:].*)$/s.exec(value)?.[1];
  if (staged !== undefined) return staged;
  let depth = 0;
  for (const [index, letter] of [...value].entries()) {
    if (letter === '{') depth += 1;
    if (letter === '}') depth -= 1;
    if (letter === ':' && depth <= 0)
      return index === 0 ? undefined : [...value].slice(index + 1).join('') || undefined;
  }
  return undefined;
}

export const isFileOfRevision = ({ value }: ShellField): boolean =>
  value !== undefined && fileOfRevision(value) !== undefined;

const hasParent = /(^|\/)\.\.(\/|$)/;

/** The file that an operand may name: for `HEAD:src/a.ts`, the part after the colon. Plain revisions name none. */
export function pathOf(field: ShellField): ShellField[] {
  const { value } = field;
  if (value === undefined) return [field];
  const file = fileOfRevision(value);
  if (file !== undefined) return [known(file), ...(/^[./]/.test(value) ? [field] : [])];
  const isRange = /[^/.]\.\.|\.\.[^/.]/.test(value) && !/^(\/|\.)/.test(value) && !hasParent.test(value);
  if (/^(HEAD|@|[0-9a-f]{7,40})([~^@{].*)?$/.test(value) || isRange) return [];
  return [known(value.replace(/^:[/!^]?/, ''))];
}

/** Whether an object may itself be a file, as a hash or a tag may be. */
export const mayBeFileObject = ({ value }: ShellField): boolean =>
  value === undefined || (!/^(HEAD|@|[\w.-]*\/[\w./-]*)([~^@].*)?$/.test(value) && !/\.\./.test(value));

/** The address of a literal URL, or the host of `user@host:path`. */
export function addressOf({ value }: ShellField): string[] {
  if (value === undefined) return [];
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return /^file:/i.test(value) ? [] : [value];
  const [, host, path = ''] = /^((?:[^@/:\s]+@)?(?:[^@/:\s]+|\[[0-9a-fA-F:]+\])):(?!\/\/|:)(.*)$/s.exec(value) ?? [];
  return host === undefined || host.length < 2 ? [] : [`ssh://${host}/${path.replace(/^\//, '')}`];
}
