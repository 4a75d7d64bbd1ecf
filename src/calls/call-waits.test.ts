import { expect, onTestFinished, test, vi } from 'vitest';
import { CallWaits } from './call-waits.js';

test('a wait has the length that it had, also if the clock was set meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const waits = new CallWaits({ id: 'call', name: 'Bash' }, { emit: () => {} });
  await waits.during('question', async () => void vi.setSystemTime(Date.now() + 10 * 3_600_000));
  const [{ from = 0, to = null } = {}] = waits.recorded().waits ?? [];
  expect(Number(to) - from).toBeLessThan(3_600_000);
});
