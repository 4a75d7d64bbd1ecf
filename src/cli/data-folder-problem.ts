import { codeOf } from '../platform/error-code.js';

const reasons: Readonly<Record<string, { why: string; next: string }>> = {
  EROFS: { why: 'its file system is read-only', next: 'Make it writable' },
  EACCES: { why: 'permission to write there is missing', next: 'Change its permissions' },
  EPERM: { why: 'permission to write there is missing', next: 'Change its permissions' },
  ENOSPC: { why: 'the disk is full', next: 'Free some space there' },
  EDQUOT: { why: 'the disk quota is used up', next: 'Free some space there' },
  ENOTDIR: { why: 'a file is in the place of the folder, or of one above it', next: 'Move that file away' },
  EEXIST: { why: 'something that is not a folder is in its place', next: 'Move that away' },
  ELOOP: { why: 'its symlinks lead in a circle', next: 'Remove the link' },
  ENOENT: { why: 'no folder can be created in its parent', next: 'Make the folder' },
  EIO: { why: 'the disk reports an error', next: 'Check the disk' },
};

/**
 * Why the data folder can't be written and what to do, for people; undefined for an error of another kind. `why`
 * replaces the usual reason if more is known.
 */
export function dataFolderProblem(error: unknown, folder: string, why?: string): string | undefined {
  const reason = reasons[codeOf(error) ?? ''];
  if (!reason) return undefined;
  return `The data folder ${folder} can't be written: ${why ?? reason.why}. ${reason.next}, or set HELVE_HOME to another folder.`;
}
