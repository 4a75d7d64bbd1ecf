import { expect, test } from 'vitest';
import { AgentRuns } from './agent-runs.js';

const env = { HELVE_MAX_WORKING_AGENTS: '1' };
const never = new AbortController().signal;

async function begun(runs: AgentRuns): Promise<string[]> {
  const said: string[] = [];
  for await (const sentence of runs.takeSlot(never)) said.push(sentence);
  return said;
}

test('a run that is abandoned while it waits for a slot takes none', async () => {
  const [first, second, third] = [new AgentRuns(env), new AgentRuns(env), new AgentRuns(env)];
  expect(await begun(first)).toEqual([]);
  for await (const sentence of second.takeSlot(never)) {
    expect(sentence).toContain('Waiting until one of the 1 sessions');
    break;
  }
  second.releaseSlot();
  first.releaseSlot();
  await new Promise((done) => setImmediate(done));
  expect(await begun(third)).toEqual([]);
  expect(third.releaseSlot()).toBe(false);
});
