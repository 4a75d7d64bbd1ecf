// A remote server that goes down in the middle of a call: its stream breaks off, and the answer will never come.
import type { Client } from '@modelcontextprotocol/client';
import { isConnectionLoss, isUnheard } from './connection-errors.js';
import { anyResult } from './protocol-client.js';

/**
 * Asks a server after an error of its transport whether it is still there, and returns why not. Undefined if it is, or
 * if the error is about something else. Without this, its calls would wait for their whole time.
 */
export async function whyGone(client: Client, { message }: Error, withinMs: number): Promise<unknown> {
  if (!/^(?:SSE stream disconnected|Maximum reconnection attempts)/.test(message)) return undefined;
  const method = client.getProtocolEra() === 'modern' ? 'server/discover' : 'ping';
  try {
    await client.request({ method, params: {} }, anyResult, { timeout: withinMs });
    return undefined;
  } catch (error) {
    return isConnectionLoss(error) || isUnheard(error) ? error : undefined;
  }
}
