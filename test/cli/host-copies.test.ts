// The copy of a conversation for programs on the Agent SDK goes with the session.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { emptyFolder, runHelve } from './run-helve.js';

test('helve sessions delete leaves nothing of a conversation that the Agent SDK started', async () => {
  const server = await startFakeModelServer([{ text: 'Hello.' }]);
  onTestFinished(() => server.close());
  const [home, cwd] = [await emptyFolder(), await emptyFolder()];
  const env = { HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' };
  const id = '11111111-2222-4333-8444-555555555555';
  const args = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--session-id', id];
  const message = { role: 'user', content: 'my secret' };
  const input = `${JSON.stringify({ type: 'user', message, parent_tool_use_id: null, session_id: '' })}\n`;
  expect((await runHelve(['-p', ...args], { cwd, env, input })).code).toBe(0);
  const copies = async (): Promise<string[]> =>
    (await readdir(join(home, '.claude/projects'), { recursive: true })).filter((name) => name.endsWith('.jsonl'));
  expect(await copies()).toEqual([expect.stringContaining(`${id}.jsonl`)]);
  const deleted = await runHelve(['sessions', 'delete', id], { cwd, env });
  expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining(`Deleted ${id}`), stderr: '' });
  expect(await copies()).toEqual([]);
});
