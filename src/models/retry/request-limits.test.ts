import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AccountLimits, type RequestEntry, RequestLimits } from './request-limits.js';

const TOOLS = ['setTimeout', 'clearTimeout', 'performance'] as const;
beforeEach(() => void vi.useFakeTimers({ toFake: [...TOOLS] }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

/** Notes the order in which requests may start. */
function requests(limits: AccountLimits, { most = 100, model = 'one' } = {}) {
  const started: string[] = [];
  const entries = new Map<string, RequestEntry>();
  const owners = new Map<string, object>();
  return {
    started,
    ask(session: string, name = session, of = model): string | undefined {
      const owner = owners.get(session) ?? {};
      owners.set(session, owner);
      const entry = limits.enter({ owner, provider: 'anthropic', model: of, most });
      entries.set(name, entry);
      void entry.started(never).then(() => started.push(name));
      return entry.waitsFor;
    },
    accept: (name: string) => entries.get(name)?.accepted(),
    end: (name: string) => entries.get(name)?.leave(),
  };
}

test('requests of all sessions wait as long as the server has asked, and then go on one after the other', async () => {
  const limits = new RequestLimits().of('account');
  const { ask, accept, started } = requests(limits);
  limits.hold(14_000, { owner: {} });
  expect(ask('a')).toBe('Waiting for the rate limit of anthropic (shared by 2 sessions), 14 s.');
  expect(ask('b')).toBe('Waiting for the rate limit of anthropic (shared by 3 sessions), 14 s.');
  for (const session of ['c', 'd', 'e', 'f', 'g', 'h']) ask(session);
  await vi.advanceTimersByTimeAsync(13_999);
  expect(started).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(started).toEqual(['a']);
  accept('a');
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['a', 'b', 'c']);
  accept('b');
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('a request that ends without an answer lets the next one go on', async () => {
  const limits = new RequestLimits().of('account');
  const { ask, end, started } = requests(limits);
  limits.hold(1000, { owner: {} });
  for (const session of ['a', 'b']) ask(session);
  await vi.advanceTimersByTimeAsync(1000);
  expect(started).toEqual(['a']);
  end('a');
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['a', 'b']);
});

test('a second refusal makes all wait again', async () => {
  const limits = new RequestLimits().of('account');
  const { ask, end, started } = requests(limits);
  limits.hold(1000, { owner: {} });
  for (const session of ['a', 'b']) ask(session);
  await vi.advanceTimersByTimeAsync(1000);
  limits.hold(2000, { owner: {} });
  end('a');
  await vi.advanceTimersByTimeAsync(1999);
  expect(started).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(1);
  expect(started).toEqual(['a', 'b']);
});

test('an overloaded model holds up its own requests alone', async () => {
  const limits = new RequestLimits().of('account');
  const { ask, accept, started } = requests(limits);
  const end = limits.hold(3000, { owner: {}, model: 'one' });
  expect(ask('a', 'a', 'one')).toBe('Waiting for one, which is overloaded (shared by 2 sessions), 3 s.');
  expect(ask('b', 'b', 'two')).toBeUndefined();
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['b']);
  accept('b');
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['b', 'a']);
});

test('sessions take turns, however many requests each of them has', async () => {
  const limits = new RequestLimits().of('account');
  const { ask, end, started } = requests(limits, { most: 1 });
  ask('a', 'a1');
  expect(ask('a', 'a2')).toBe('Waiting until one of 1 requests to anthropic is over.');
  ask('a', 'a3');
  ask('b', 'b1');
  for (const name of ['a1', 'a2', 'b1']) {
    end(name);
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('a request that is interrupted while it waits leaves the queue, and nothing is kept of an account without requests', async () => {
  const all = new RequestLimits();
  const limits = all.of('account');
  const stop = new AbortController();
  const running = limits.enter({ owner: {}, provider: 'p', model: 'm', most: 1 });
  const waiting = limits.enter({ owner: {}, provider: 'p', model: 'm', most: 1 });
  const started = waiting.started(stop.signal);
  stop.abort(new Error('Interrupted.'));
  await expect(started).rejects.toThrow('Interrupted.');
  waiting.leave();
  expect(all.size).toBe(1);
  running.leave();
  expect(all.size).toBe(0);
});
