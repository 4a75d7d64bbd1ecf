import { checkAudit, readAudit } from '../observe/read-audit.js';
import { sessionFolder } from './session-folder.js';

/** The calls that the audit log of a session has, for a session whose conversation is not kept, such as of `helve call`. */
export function* auditedCalls(
  dataFolder: string,
  sessionId: string,
): Generator<{ id: string; tool: string; input: unknown }> {
  const text = readAudit(sessionFolder(dataFolder, sessionId).path);
  for (const { type, call, tool, input } of text ? checkAudit(text).entries : []) {
    if (type === 'call' && typeof call === 'string' && typeof tool === 'string') yield { id: call, tool, input };
  }
}
