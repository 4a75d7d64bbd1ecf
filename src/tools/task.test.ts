import { expect, onTestFinished, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { agentOutputTool } from './agent-output.js';
import { taskTool } from './task.js';

async function project() {
  const made = await temporaryProject();
  onTestFinished(() => made.remove());
  return made;
}

test('starting an agent has no effects, and neither does waiting for one', async () => {
  const { effects } = await project();
  expect(await effects(taskTool, { description: 'a', prompt: 'b' })).toEqual([]);
  expect(await effects(agentOutputTool, { agentId: 'a1' })).toEqual([]);
});

test('without a model, an agent is refused with the reason', async () => {
  const { run } = await project();
  expect(await run(taskTool, { description: 'a', prompt: 'b' })).toMatchObject({
    isError: true,
    content: 'There is no model here that an agent could work with, so none was started. Use the other tools.',
  });
  expect(await run(agentOutputTool, { agentId: 'a1' })).toMatchObject({
    isError: true,
    content: 'There is no agent "a1". None was started here. One of an earlier process can be resumed with Task.',
  });
});

test('rules see the default type if the caller omits it', () => {
  const accepted = taskTool.accept({ description: 'a', prompt: 'b' });
  expect(accepted.ok && accepted.call.input).toMatchObject({ subagent_type: 'general-purpose' });
});
