import { codeOf } from '../platform/error-code.js';
import { errorClause } from '../platform/text/clause.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you have no permission to read it',
};

/** Why a file that an argument names can't be read, as part of a sentence that has its path. */
export function whyUnreadable(error: unknown): string {
  const code = codeOf(error) ?? '';
  return (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ?? errorClause(error);
}
