// In the era of 2026-07-28 a server tells of changed lists only on a stream that the client asks for. The stream may
// end at any time; it is opened again, with a growing delay and a limit.
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ProtocolError, type ServerCapabilities } from '@modelcontextprotocol/client';
import { monotonicMs } from '../../platform/clock.js';
import { messageOf } from './connection-errors.js';
import type { Offered } from './offered.js';

const MAX_FAILURES = 5; // in a row
const MAX_DELAY_MS = 60_000;
const STABLE_MS = 60_000; // a stream that lasted as long was not a failure

export interface SubscriptionOptions {
  client: Client;
  capabilities: ServerCapabilities;
  /** For the server's acknowledgement. */
  timeoutMs: number;
  /** The delay before the stream is opened again; it doubles. */
  retryMs: number;
  /** Aborts when the connection ends. */
  signal: AbortSignal;
  /** A list may have changed while no stream was open. */
  onStale(kind: keyof Offered): void;
  /** A sentence about a problem. */
  onProblem(text: string): void;
}

/** Follows the changes of a server's lists until the connection ends. Never rejects. */
export async function followLists(options: SubscriptionOptions): Promise<void> {
  const { client, capabilities, timeoutMs, retryMs, signal, onStale, onProblem } = options;
  const filter = {
    ...(capabilities.tools?.listChanged === true && { toolsListChanged: true }),
    ...(capabilities.prompts?.listChanged === true && { promptsListChanged: true }),
    ...(capabilities.resources?.listChanged === true && { resourcesListChanged: true }),
  };
  if (Object.keys(filter).length === 0) return;
  let wasOpen = false;
  for (let failures = 0; !signal.aborted; ) {
    const openedAt = monotonicMs();
    let why = 'the server closed it';
    try {
      const { closed } = await client.listen(filter, { timeout: timeoutMs, signal });
      if (wasOpen) for (const kind of kindsOf(filter)) onStale(kind);
      wasOpen = true;
      await closed;
    } catch (error) {
      if (error instanceof ProtocolError && !wasOpen) return; // it has no such stream, although it says so
      why = messageOf(error);
    }
    if (signal.aborted) return;
    failures = monotonicMs() - openedAt > STABLE_MS ? 1 : failures + 1;
    if (failures > MAX_FAILURES) {
      onProblem(`Its changes are no longer followed, since the stream for them ended ${failures} times: ${why}`);
      return;
    }
    const wait = Math.min(retryMs * 2 ** (failures - 1), MAX_DELAY_MS);
    await delay(wait, undefined, { ref: false, signal }).catch(() => {});
  }
}

function kindsOf(filter: Readonly<Record<string, unknown>>): Array<keyof Offered> {
  return [
    ...(filter['toolsListChanged'] === true ? (['tools'] as const) : []),
    ...(filter['promptsListChanged'] === true ? (['prompts'] as const) : []),
    ...(filter['resourcesListChanged'] === true ? (['resources', 'templates'] as const) : []),
  ];
}
