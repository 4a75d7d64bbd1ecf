// Ends the host process with the server, as in a container that is stopped: sessions may finish first.
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../../platform/clock.js';
import { counted } from '../../platform/text/counted.js';
import { runningHost } from '../background/connect-host.js';
import { HostGone } from '../background/host-client.js';
import { hostPlace } from '../background/host-place.js';

const POLL_MS = 250;

export interface EndHostOptions {
  dataFolder: string;
  limitMs: number;
  tell(sentence: string): void;
}

/**
 * Waits until no session works, at most as long as the limit; then ends it. The next host continues what was cut, and asks
 * again what was not answered.
 */
export async function endHost({ dataFolder, limitMs, tell }: EndHostOptions): Promise<void> {
  const host = await runningHost(hostPlace(dataFolder));
  if (!host) return;
  const until = monotonicMs() + limitMs;
  try {
    for (;;) {
      const { isBusy, busySessions, waitingSessions } = await host.request('_helve/host/status');
      if (isBusy !== true) break;
      // All clients were disconnected, so no answer can come.
      if (waitingSessions === busySessions && Number(busySessions) > 0) {
        tell(`${counted(Number(waitingSessions), 'session')} still had a question, asked again at the next attach.`);
        break;
      }
      if (monotonicMs() >= until) {
        tell(`${counted(Number(busySessions), 'session')} still had work, continued at the next attach.`);
        break;
      }
      await delay(POLL_MS);
    }
    await host.request('_helve/host/stop', { keepsWork: true });
    await host.closed;
  } catch (error) {
    if (!(error instanceof HostGone)) throw error;
  } finally {
    host.close();
  }
}
