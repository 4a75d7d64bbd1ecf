import type { Caller } from '../../host/hosted-conversation.js';
import { connectHost, type HostConnectOptions, HostProblem } from './connect-host.js';
import type { HostClient } from './host-client.js';

/** The host was ended each time before it answered. */
export class ConnectionLost extends HostProblem {
  constructor(sessionId: string, promptId: string) {
    super(
      `The host process ended before it answered, several times. helve ps shows whether it has the prompt. To send it again without running it twice, add --session-id ${sessionId} --prompt-id ${promptId}.`,
    );
  }
}

/** This process's environment, which the host holds in memory for one session. */
export const callerHere = (argv: readonly string[] = []): Caller => ({
  env: Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ),
  argv,
});

export async function withHost<Value>(
  options: HostConnectOptions,
  work: (host: HostClient) => Promise<Value>,
): Promise<Value> {
  const host = await connectHost(options);
  try {
    return await work(host);
  } finally {
    host.close();
  }
}
