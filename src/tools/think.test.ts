import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { thinkTool } from './think.js';

test('records the thought, shows it and has no effects', async () => {
  const project = await temporaryProject();
  const run = await project.run(thinkTool, { thought: 'two ways lead there' });
  expect(run).toMatchObject({ content: 'The thought was noted.', data: { thought: 'two ways lead there' } });
  expect(run.display).toEqual({ title: 'thought', body: { type: 'text', text: 'two ways lead there' } });
  expect(await project.effects(thinkTool, { thought: '' })).toEqual([]);
});
