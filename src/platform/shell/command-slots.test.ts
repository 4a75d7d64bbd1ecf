import { expect, test } from 'vitest';
import { withCommandSlot } from './command-slots.js';

const env = { HELVE_MAX_COMMANDS: '2' };

/** Commands of sessions, which end when the test says so. */
function commands() {
  const started: string[] = [];
  const said: string[] = [];
  const ends = new Map<string, () => void>();
  const owners: Record<string, object> = { a: {}, b: {}, c: {} };
  const run = (session: string, name: string, signal = new AbortController().signal): Promise<string> =>
    withCommandSlot(
      async () => {
        started.push(name);
        await new Promise<void>((end) => ends.set(name, end));
        return name;
      },
      { owner: owners[session] ?? {}, env, signal, onWait: (sentence) => said.push(sentence) },
    );
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await new Promise((done) => setImmediate(done));
  };
  return { run, end, started, said };
}

test('commands beyond the limit wait, say for what, and sessions take turns', async () => {
  const { run, end, started, said } = commands();
  const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('a', 'a4'), run('b', 'b1')];
  await new Promise((done) => setImmediate(done));
  expect(started).toEqual(['a1', 'a2']);
  expect(said).toEqual([
    'The command waits until one of the 2 that run at the same time ends.',
    'The command waits until one of the 2 that run at the same time ends.',
    'The command waits until one of the 2 that run at the same time ends, and so do those of other sessions.',
  ]);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'a4']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
});

test('a command that is interrupted while it waits takes no slot', async () => {
  const { run, end, started } = commands();
  const stop = new AbortController();
  const [first, second] = [run('a', 'a1'), run('b', 'b1')];
  const waiting = run('c', 'c1', stop.signal);
  stop.abort(new Error('Interrupted.'));
  await expect(waiting).rejects.toThrow('Interrupted.');
  await end('a1');
  await end('b1');
  await Promise.all([first, second]);
  const again = [run('a', 'a2'), run('b', 'b2')];
  await new Promise((done) => setImmediate(done));
  expect(started).toEqual(['a1', 'b1', 'a2', 'b2']);
  await end('a2');
  await end('b2');
  await Promise.all(again);
});
