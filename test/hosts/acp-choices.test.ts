// What a client chooses: a plan, one of several answers, the effort.
import { expect, test } from 'vitest';
import { fields } from '../cli/stream-json-host.js';
import { selected, startSession } from './acp-client.js';

test('a plan is shown to the client, and its approval ends plan mode', async () => {
  const { client, sessionId } = await startSession(
    [{ calls: [{ name: 'ExitPlanMode', id: 'p', input: { plan: '1. Write the file.' } }] }, { text: 'Starting.' }],
    { args: ['--permission-mode', 'plan'] },
  );
  client.reply = () => selected('accept-edits');
  await client.prompt(sessionId, 'plan it');
  const [asked] = client.asked('session/request_permission');
  expect(JSON.stringify(fields(asked?.['toolCall'])['content'])).toContain('Write the file.');
  expect(client.updates()).toContainEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'acceptEdits' });
  await client.end();
});

test('without forms, a question with several answers offers one of them, and says so', async () => {
  const options = ['Red', 'Blue'].map((label) => ({ label, description: `The ${label} one` }));
  const question = { question: 'Which colours?', header: 'Colours', multiSelect: true, options };
  const { client, sessionId } = await startSession([
    { calls: [{ name: 'AskUserQuestion', id: 'q', input: { questions: [question] } }] },
    { text: 'ok' },
  ]);
  client.reply = () => selected('option-1');
  await client.prompt(sessionId, 'ask');
  const [asked] = client.asked('session/request_permission');
  expect(JSON.stringify(asked)).toContain('One can be chosen here.');
  expect(JSON.stringify(client.server.requests[1]?.body.messages)).toContain('Blue');
  await client.end();
});

test('the efforts that the model accepts are offered, and the chosen one is sent', async () => {
  const { client, sessionId } = await startSession([{ text: 'a' }], {
    env: { OPENAI_API_KEY: 'sk-test', HELVE_MODEL: 'openai/gpt-5' },
  });
  const choose = async (configId: string, value: string) =>
    await client.request('session/set_config_option', { sessionId, configId, value });
  const { configOptions } = await choose('effort', 'low');
  const effort = Array.isArray(configOptions) ? configOptions.map(fields).find(({ id }) => id === 'effort') : undefined;
  expect(effort).toMatchObject({
    category: 'thought_level',
    currentValue: 'low',
    options: [{ value: 'default' }, { value: 'low' }, { value: 'medium' }, { value: 'high' }],
  });
  const { code, message } = await client.refused('session/set_config_option', {
    sessionId,
    configId: 'effort',
    value: 'max',
  });
  expect([code, message]).toEqual([-32602, 'openai/gpt-5 has no effort "max". There are: default, low, medium, high.']);
  await client.end();
});

test('a model that takes every effort gets the chosen one', async () => {
  const { client, sessionId } = await startSession([{ text: 'a' }]);
  await client.request('session/set_config_option', { sessionId, configId: 'effort', value: 'low' });
  await client.prompt(sessionId, 'x');
  expect(client.server.requests[0]?.body).toMatchObject({ output_config: { effort: 'low' } });
  await client.end();
});
