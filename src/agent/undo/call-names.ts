import { outlineSession, type SessionOutline } from '../store/session-outline.js';

/** Calls of a session as people know them, such as `Bash npm test`; the id of a call that the session does not have. */
export function callNames(dataFolder: string, sessionId: string): (callId: string) => string {
  let outline: SessionOutline | undefined;
  return (callId) => {
    outline ??= outlineSession(dataFolder, sessionId);
    const call = outline.calls.get(callId);
    return call === undefined ? callId : `${call.tool} ${call.title.split('\n', 1)[0] ?? ''}`.trim();
  };
}
