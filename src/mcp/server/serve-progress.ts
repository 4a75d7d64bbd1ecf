import type { ServerContext } from '@modelcontextprotocol/server';

/** Sends only the latest text: older progress that a slow client has not received yet is dropped. */
export function progressTo({ mcpReq }: ServerContext): (text: string) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  let next: string | undefined;
  let isSending = false;
  const send = async (): Promise<void> => {
    isSending = true;
    while (next !== undefined) {
      const message = next;
      next = undefined;
      progress += 1;
      const params = { progressToken, progress, message };
      await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}); // the client has disconnected
    }
    isSending = false;
  };
  return (text) => {
    next = text;
    if (!isSending) void send();
  };
}
