import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../src/compose/create-agent.js';
import { anthropicModel } from '../../src/models/index.js';
import { startFakeModelServer, temporaryProject } from '../../src/testing/index.js';

test('after a refused edit the tests behind it do not run, and the next message is not affected', async () => {
  const change = { id: 'change', name: 'Write', input: { file_path: 'price.txt', content: '2\n' } };
  const check = (id: string) => ({ id, name: 'Bash', input: { command: 'touch tested' } });
  const server = await startFakeModelServer([
    { text: 'I change it and test.', calls: [change, check('test')], chunkBytes: 100_000 },
    { text: 'Then only the test.', calls: [check('again')] },
    { text: 'Done.' },
  ]);
  const project = await temporaryProject();
  const asked: string[] = [];
  const agent = createAgent({
    model: anthropicModel({ name: 'claude-test', apiKey: 'sk-test', baseUrl: server.url }),
    root: project.root,
    dataFolder: project.path('../data'),
    async askPermission({ tool }) {
      asked.push(tool);
      return tool === 'Write' ? { behavior: 'deny' } : { behavior: 'allow' };
    },
  });
  onTestFinished(async () => {
    await agent.end();
    await server.close();
    await project.remove();
  });
  const results: Array<[string, string | undefined]> = [];
  for await (const event of agent.run('go')) {
    if (event.type === 'tool_result') results.push([event.callId, event.problem]);
  }
  expect(results).toEqual([
    ['change', 'You refused it.'],
    ['test', 'Not run, because Write price.txt was refused.'],
    ['again', undefined],
  ]);
  expect(asked).toEqual(['Write', 'Bash']);
  expect(existsSync(project.path('tested'))).toBe(true);
});
