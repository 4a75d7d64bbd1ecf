import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSession } from './acp-client.js';

test('the output of a command is shown while it runs, and no terminal is asked of the client', async () => {
  // The command goes on only once the client has seen its first line.
  const command = 'echo first line; until [ -e seen ]; do sleep 0.05; done; echo second line';
  const { client, sessionId } = await startSession(
    [{ calls: [{ name: 'Bash', id: 'b', input: { command } }] }, { text: 'Done.' }],
    { args: ['--dangerously-skip-permissions'], capabilities: { terminal: true } },
  );
  const prompt = client.prompt(sessionId, 'run it');
  const live = await client.update(
    ({ toolCallId, status, content }) =>
      toolCallId === 'b' && status === 'in_progress' && JSON.stringify(content ?? '').includes('first line'),
  );
  expect(live).toMatchObject({ sessionUpdate: 'tool_call_update', kind: 'execute' });
  await writeFile(join(client.cwd, 'seen'), '');
  expect(await prompt).toEqual({ stopReason: 'end_turn' });
  const last = client.updates().findLast(({ toolCallId }) => toolCallId === 'b');
  expect(last).toMatchObject({ status: 'completed' });
  expect(JSON.stringify(last?.['content'])).toMatch(/first line.*second line/);
  expect(client.fromAgent.filter(({ method }) => method?.startsWith('terminal/'))).toEqual([]);
  await client.end();
});
