import { checkAudit, readAudit } from '../observe/read-audit.js';
import { sessionFolder } from './session-folder.js';

/** The calls in the audit log of a session, for sessions without a saved conversation, such as those of `helve call`. */
export function* auditedCalls(
  dataFolder: string,
  sessionId: string,
): Generator<{ id: string; tool: string; input: unknown }> {
  const text = readAudit(sessionFolder(dataFolder, sessionId).path);
  for (const { type, call, tool, input } of text ? checkAudit(text).entries : []) {
    if (type === 'call' && typeof call === 'string' && typeof tool === 'string') yield { id: call, tool, input };
  }
}
