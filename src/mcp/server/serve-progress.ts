import type { ServerContext } from '@modelcontextprotocol/server';

/** Sends only the latest text: older progress that a slow client has not received yet is dropped. */
export function progressTo(
  context: ServerContext,
  flow: (context: ServerContext) => Promise<void> = async () => {},
): (text: string) => void {
  const { mcpReq } = context;
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  let next: string | undefined;
  let isSending = false;
  const send = async (): Promise<void> => {
    isSending = true;
    for (;;) {
      await flow(context);
      const message = next;
      if (message === undefined) break;
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
