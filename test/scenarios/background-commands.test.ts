import { expect, onTestFinished, test } from 'vitest';
import { createAgent, type FullAgent } from '../../src/compose/create-agent.js';
import { anthropicModel } from '../../src/models/index.js';
import {
  type FakeAnswers,
  type FakeModelServer,
  startFakeModelServer,
  temporaryProject,
} from '../../src/testing/index.js';
import { until } from '../../src/testing/watch-processes.js';

async function begin(answers: FakeAnswers): Promise<{ agent: FullAgent; server: FakeModelServer }> {
  const server = await startFakeModelServer(answers);
  const project = await temporaryProject();
  const agent = createAgent({
    model: anthropicModel({ name: 'claude-test', apiKey: 'sk-test', baseUrl: server.url }),
    root: project.root,
    dataFolder: project.path('../data'),
    permissionMode: 'bypassPermissions',
  });
  onTestFinished(async () => {
    await agent.end();
    await server.close();
    await project.remove();
  });
  return { agent, server };
}

const lastMessage = (server: FakeModelServer, request: number): unknown =>
  server.requests[request]?.body.messages.at(-1);

test('the model learns with the next prompt that a background command has ended meanwhile', async () => {
  const { agent, server } = await begin([
    { calls: [{ id: 'bash', name: 'Bash', input: { command: 'echo built', run_in_background: true } }] },
    { text: 'It runs.' },
    { text: 'I see.' },
  ]);
  for await (const event of agent.run('build it')) void event;
  await until(() => agent.session.stillRunning.length === 0);
  for await (const event of agent.run('and now?')) void event;
  expect(server.refused).toEqual([]);
  expect(lastMessage(server, 1)).toMatchObject({
    content: [{ tool_use_id: 'bash', content: expect.stringMatching(/^Command running in background with ID: b/) }],
  });
  const [first, ...more] = server.requests[2]?.body.messages.slice(-1) ?? [];
  expect(more).toEqual([]);
  expect(JSON.stringify(first)).toMatch(
    /and now\?.*<system-reminder>\\nThe background command b[0-9a-f]{8} \(echo built\) has ended: completed, exit code 0\./,
  );
});

test('events that happen while calls run are reported with the results, once', async () => {
  const { agent, server } = await begin([
    { calls: [{ id: 'one', name: 'Bash', input: { command: 'echo one' } }] },
    { calls: [{ id: 'two', name: 'Bash', input: { command: 'echo two' } }] },
    { text: 'Done.' },
  ]);
  for await (const event of agent.run('go')) {
    if (event.type === 'tool_start' && event.callId === 'one') agent.session.remind('The tests have passed.');
    if (event.type === 'result') agent.session.remind('Too late for this run.');
  }
  expect(server.refused).toEqual([]);
  expect(lastMessage(server, 1)).toMatchObject({
    content: [
      { tool_use_id: 'one', content: 'one' },
      { type: 'text', text: '<system-reminder>\nThe tests have passed.\n</system-reminder>' },
    ],
  });
  expect(JSON.stringify(lastMessage(server, 2))).not.toContain('system-reminder');
  expect(agent.session.takeReminders()).toHaveLength(1);
});
