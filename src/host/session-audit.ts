// A page of a session's audit log.
import { auditFrom } from '../agent/observe/audit-page.js';
import { sessionFolder } from '../agent/store/session-folder.js';

export interface AuditPage {
  rows: Array<Readonly<Record<string, unknown>>>;
  /** Where the next page begins; absent if the log ends here now. */
  next?: string;
}

export function auditPage(dataFolder: string, id: string, { from, limit }: { from: number; limit: number }): AuditPage {
  const rows: AuditPage['rows'] = [];
  for (const { entry, start } of auditFrom(sessionFolder(dataFolder, id).path, from)) {
    if (rows.length === limit) return { rows, next: String(start) };
    const { prev: _prev, hash: _hash, ...shown } = entry;
    rows.push(shown);
  }
  return { rows };
}
