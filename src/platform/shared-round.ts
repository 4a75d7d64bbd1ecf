// Shares expensive queries of the machine, such as listing all processes. When hundreds of agents of one process need
// the same query at the same time, one run serves them all: docs/decisions/0041.
import { setImmediate as nextRound } from 'node:timers/promises';
import { ofProcess } from './of-process.js';

interface Rounds {
  /** By key: a round that callers can still join, since it has not begun. */
  waiting: Map<string, Promise<unknown>>;
  running: Map<string, Promise<unknown>>;
}

/**
 * The result of a round of `work` that begins after this call. All calls with the same key until it begins share it, and
 * no two rounds of a key run at the same time. The key must name the work and all that it depends on.
 */
export function sharedRound<Value>(key: string, work: () => Value | Promise<Value>): Promise<Value> {
  const rounds = roundsOfProcess();
  const known = rounds.waiting.get(key);
  if (known) return known as Promise<Value>; // the key names the work, so the type is the same
  const round = (async (): Promise<Value> => {
    await rounds.running.get(key)?.catch(() => {}); // its callers get the error
    await nextRound();
    rounds.waiting.delete(key);
    const running = (async () => await work())();
    rounds.running.set(key, running);
    try {
      return await running;
    } finally {
      if (rounds.running.get(key) === running) rounds.running.delete(key);
    }
  })();
  rounds.waiting.set(key, round);
  return round;
}

const roundsOfProcess = (): Rounds => ofProcess('sharedRounds', () => ({ waiting: new Map(), running: new Map() }));
