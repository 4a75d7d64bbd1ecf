import { expect, onTestFinished, test, vi } from 'vitest';
import type { AgentHappening } from '../contract/event.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { CallWaits } from './call-waits.js';
import { runCall } from './run-call.js';

test('a wait has the length that it had, also if the clock was set meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const waits = new CallWaits({ id: 'call', name: 'Bash' }, { emit: () => {} });
  await waits.during('question', async () => void vi.setSystemTime(Date.now() + 10 * 3_600_000));
  const [{ from = 0, to = null } = {}] = waits.recorded().waits ?? [];
  expect(Number(to) - from).toBeLessThan(3_600_000);
});

test.each([
  ['LS', ['hook']],
  ['Read', []],
])('with a hook for %s, a call of LS waits for %j, also if the event loop is late', async (matcher, expected) => {
  const holdEventLoop = (): void => {
    for (const begun = performance.now(); performance.now() - begun < 60; );
  };
  const project = await temporaryProject(
    {},
    { hooks: { PreToolUse: [{ matcher, hooks: [async () => void holdEventLoop()] }] } },
  );
  onTestFinished(() => project.remove());
  const events: AgentHappening[] = [];
  const environment = project.engine.environment((event) => events.push(event));
  const { hooks } = environment;
  const late: typeof hooks = {
    ...hooks,
    run: async (...args) => {
      holdEventLoop();
      return await hooks.run(...args);
    },
  };
  const call = { id: 'x', name: 'LS', input: { path: '.' } };
  await runCall(call, { ...environment, hooks: late }, new AbortController().signal);
  const waits = events.flatMap((event) => (event.type === 'tool_result' ? (event.waits ?? []) : []));
  expect(waits.map(({ reason }) => reason)).toEqual(expected);
});
