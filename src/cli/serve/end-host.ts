// Ends the host process with the server, as in a container that is stopped: sessions may finish first.
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../../platform/clock.js';
import { runningHost } from '../background/connect-host.js';
import { HostGone } from '../background/host-client.js';
import { hostPlace } from '../background/host-place.js';

const POLL_MS = 250;

export interface EndHostOptions {
  dataFolder: string;
  limitMs: number;
  tell(sentence: string): void;
}

/** Waits until no session has work, at most as long as the limit; then ends it. Accepted prompts that were cut are kept. */
export async function endHost({ dataFolder, limitMs, tell }: EndHostOptions): Promise<void> {
  const host = await runningHost(hostPlace(dataFolder));
  if (!host) return;
  const until = monotonicMs() + limitMs;
  try {
    for (;;) {
      const { isBusy, busySessions } = await host.request('_helve/host/status');
      if (isBusy !== true) break;
      if (monotonicMs() >= until) {
        tell(`${busySessions} sessions still have work and are interrupted. They continue when they are attached to.`);
        break;
      }
      await delay(POLL_MS);
    }
    await host.request('_helve/host/stop');
    await host.closed;
  } catch (error) {
    if (!(error instanceof HostGone)) throw error;
  } finally {
    host.close();
  }
}
