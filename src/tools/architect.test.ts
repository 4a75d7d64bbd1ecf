import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { architectTool } from './architect.js';

test('is refused in a session that cannot start agents', async () => {
  const project = await temporaryProject();
  const run = await project.run(architectTool, { prompt: 'Split the module.' });
  expect(run.failure).toBe('check_refused');
  expect(run.content).toContain('This session can start no agents');
});

test('has no effects itself, and is off and deferred unless it is enabled', async () => {
  const project = await temporaryProject();
  expect(await project.effects(architectTool, { prompt: 'x' })).toEqual([]);
  expect([architectTool.optIn, architectTool.exposure]).toEqual([true, 'deferred']);
  expect(project.engine.session.tools.names).not.toContain('Architect');
});

test('requires a task', async () => {
  const project = await temporaryProject();
  expect((await project.run(architectTool, { context: 'x' })).content).toContain('"prompt" is required');
});
