import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type LiveState, writePresence } from '../agent/store/presence.js';
import { thisProcess } from '../platform/journal/process-identity.js';
import { SessionIndex } from './session-index.js';

test('changes are told at once, also in a data folder that had no session when the watching began', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const dataFolder = await mkdtemp(join(tmpdir(), 'helve-index-'));
  const id = randomUUID();
  const owner = await thisProcess();
  const write = (state: LiveState) =>
    writePresence(dataFolder, {
      ...{ id, surface: 'background', owner, root: dataFolder, title: 'First', state },
      ...{ activity: '', costUsd: 0, since: 1, changed: 2 },
    });
  const told: string[][] = [];
  const stop = new SessionIndex(dataFolder).watch(({ sessions }) => {
    told.push(sessions.map(({ state }) => state));
  });
  onTestFinished(stop);
  await expect.poll(() => told).toEqual([[]]);
  write('running');
  vi.advanceTimersByTime(5_000); // the only regular look
  await expect.poll(() => told).toEqual([[], ['running']]);
  write('idle');
  await expect.poll(() => told).toEqual([[], ['running'], ['idle']]);
});
