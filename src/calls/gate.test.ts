import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Effect } from '../contract/effect.js';
import { conflict } from './conflict.js';
import { Gate } from './gate.js';

const file = (access: 'read' | 'write', real: string): Effect => ({ kind: 'file', access, path: real, real });
const unknown: Effect = { kind: 'unknown', why: 'test' };
const forever = new AbortController().signal;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Enters with fixed effects and tells what the place has come to. */
function stand(gate: Gate, effects: readonly Effect[], signal = forever) {
  const place = gate.join();
  const standing = { place, in: false, entered: place.enter(async () => effects, signal) };
  standing.entered.then(
    () => {
      standing.in = true;
    },
    () => {},
  );
  return standing;
}

test('lets ten reads of one file overlap', async () => {
  const gate = new Gate();
  const reads = Array.from({ length: 10 }, () => stand(gate, [file('read', '/a')]));
  await settled();
  expect(reads.every((read) => read.in)).toBe(true);
});

test('lets edits of ten different files overlap', async () => {
  const gate = new Gate();
  const edits = Array.from({ length: 10 }, (_, index) => stand(gate, [file('write', `/file${index}`)]));
  await settled();
  expect(edits.every((edit) => edit.in)).toBe(true);
});

test('keeps edits of one file in message order', async () => {
  const gate = new Gate();
  const [first, second] = [stand(gate, [file('write', '/a')]), stand(gate, [file('write', '/a')])];
  await settled();
  expect([first.in, second.in]).toEqual([true, false]);
  first.place.leave();
  await second.entered;
});

test('runs an unknown alone: after all before it, before all after it', async () => {
  const gate = new Gate();
  const before = stand(gate, [file('read', '/a')]);
  const anything = stand(gate, [unknown]);
  const after = stand(gate, [file('read', '/b')]);
  await settled();
  expect([before.in, anything.in, after.in]).toEqual([true, false, false]);
  before.place.leave();
  await anything.entered;
  await settled();
  expect(after.in).toBe(false);
  anything.place.leave();
  await after.entered;
});

test('holds back later calls until the effects of an earlier one are known', async () => {
  const gate = new Gate();
  const known = Promise.withResolvers<Effect[]>();
  const slow = gate.join();
  const entered = slow.enter(() => known.promise, forever);
  const quick = stand(gate, [file('write', '/a')]);
  await settled();
  expect(quick.in).toBe(false);
  known.resolve([file('read', '/a')]);
  await entered;
  await settled();
  expect(quick.in).toBe(false);
  slow.leave();
  await quick.entered;
});

test('computes the effects again when the turn comes, so a relative path follows a changed directory', async () => {
  const gate = new Gate();
  let directory = '/start';
  const change = stand(gate, [{ kind: 'session', access: 'write', what: 'cwd' }]);
  const relative = gate.join();
  const entered = relative.enter(
    async () => [file('read', `${directory}/x`), { kind: 'session', access: 'read', what: 'cwd' }],
    forever,
  );
  await settled();
  directory = '/elsewhere';
  change.place.leave();
  expect((await entered)[0]).toEqual(file('read', '/elsewhere/x'));
});

test('does not let a later call overtake one whose effects changed when its turn came', async () => {
  const gate = new Gate();
  let directory = '/start';
  const change = stand(gate, [unknown]);
  const reading = gate.join();
  const read = reading.enter(async () => [file('read', `${directory}/x`)], forever);
  const write = stand(gate, [file('write', '/elsewhere/x')]);
  await settled();
  directory = '/elsewhere';
  change.place.leave();
  await read;
  await settled();
  expect(write.in).toBe(false);
  reading.leave();
  await write.entered;
});

test('sends a call whose input was rewritten back to wait, holding nothing', async () => {
  const gate = new Gate();
  const rewritten = stand(gate, [file('write', '/a')]);
  const later = stand(gate, [file('write', '/b')]);
  const waiting = stand(gate, [file('write', '/a')]);
  await settled();
  expect([rewritten.in, later.in, waiting.in]).toEqual([true, true, false]);
  const again = rewritten.place.enter(async () => [file('write', '/b')], forever);
  await waiting.entered; // what it held is free
  later.place.leave();
  await again;
});

test('gives up its wait when the call is cancelled', async () => {
  const gate = new Gate();
  const holder = stand(gate, [unknown]);
  const controller = new AbortController();
  const waiting = stand(gate, [unknown], controller.signal);
  const behind = stand(gate, [unknown]);
  controller.abort(new Error('cancelled'));
  await expect(waiting.entered).rejects.toThrow('cancelled');
  waiting.place.leave();
  holder.place.leave();
  await behind.entered;
});

test('lets a call that touches nothing run calls of its own without deadlock', async () => {
  const gate = new Gate();
  const parent = stand(gate, []);
  const sibling = stand(gate, [unknown]);
  await parent.entered;
  const child = stand(gate, [file('write', '/a')]);
  await sibling.entered;
  sibling.place.leave();
  await child.entered;
  child.place.leave();
  parent.place.leave();
});

test('holds back a call whose file an earlier relative path may turn out to mean', async () => {
  const gate = new Gate();
  let directory = '/start';
  const change = stand(gate, [{ kind: 'session', access: 'write', what: 'cwd' }]);
  const reading = gate.join();
  const read = reading.enter(
    async () => [file('read', `${directory}/x`), { kind: 'session', access: 'read', what: 'cwd' }],
    forever,
  );
  const write = stand(gate, [file('write', '/elsewhere/x')]);
  await settled();
  expect(write.in).toBe(false);
  directory = '/elsewhere';
  change.place.leave();
  await read;
  reading.leave();
  await write.entered;
});

// Any batch of calls: fixed effects, relative paths, changes of directory; some cancelled, some failing.
const paths = ['/a', '/b', '/b/c', '/d'];
const access = fc.constantFrom('read' as const, 'write' as const);
const effect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({
    kind: fc.constant('file' as const),
    access,
    path: fc.constantFrom(...paths),
    real: fc.constantFrom(...paths),
    tree: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('session' as const), access, what: fc.constant('todos' as const) }),
  fc.record({ kind: fc.constant('command' as const), text: fc.constant('x'), harmless: fc.boolean() }),
  fc.constant(unknown),
);
const plannedCall = fc.record({
  does: fc.oneof(
    fc.record({ fixed: fc.array(effect, { maxLength: 3 }) }),
    fc.record({ relative: fc.constantFrom('c', 'x'), access }),
    fc.record({ changeTo: fc.constantFrom('/b', '/d') }),
  ),
  ticks: fc.nat(4),
  slowEffects: fc.nat(2),
  cancelAfter: fc.option(fc.nat(6), { freq: 4 }),
  fails: fc.boolean(),
});

test('never overlaps or swaps conflicting calls, and never waits for ever', async () => {
  const runs = process.env['HELVE_SOAK'] ? 20_000 : 500;
  await fc.assert(
    fc.asyncProperty(fc.array(plannedCall, { minLength: 1, maxLength: 12 }), async (plans) => {
      const gate = new Gate();
      let directory = '/';
      const running = new Map<number, readonly Effect[]>();
      const finished = new Map<number, readonly Effect[]>();
      const ticks = async (count: number) => {
        for (let tick = 0; tick < count; tick += 1) await settled();
      };
      const effectsOf = ({ does }: (typeof plans)[number]): Effect[] => {
        if ('fixed' in does) return does.fixed;
        if ('changeTo' in does) return [{ kind: 'session', access: 'write', what: 'cwd' }];
        return [file(does.access, `${directory}/${does.relative}`), { kind: 'session', access: 'read', what: 'cwd' }];
      };
      await Promise.all(
        plans.map(async (plan, index) => {
          const controller = new AbortController();
          const place = gate.join();
          if (plan.cancelAfter !== null) {
            void ticks(plan.cancelAfter).then(() => controller.abort(new Error('cancelled')));
          }
          try {
            const effects = await place.enter(async () => {
              await ticks(plan.slowEffects);
              return effectsOf(plan);
            }, controller.signal);
            expect(effects).toEqual(effectsOf(plan));
            for (const [other, held] of running) {
              expect(conflict(held, effects), `calls ${other} and ${index} overlap`).toBe(false);
            }
            for (const [other, touched] of finished) {
              if (other > index) expect(conflict(touched, effects), `calls ${index} and ${other} swapped`).toBe(false);
            }
            running.set(index, effects);
            await ticks(plan.ticks);
            if ('changeTo' in plan.does) directory = plan.does.changeTo;
            finished.set(index, effects);
            if (plan.fails) throw new Error('cancelled');
          } catch (error) {
            if (!(error instanceof Error && error.message === 'cancelled')) throw error;
          } finally {
            running.delete(index);
            place.leave();
          }
        }),
      );
    }),
    { numRuns: runs },
  );
});
