// Functions of the Agent SDK that change sessions change the copy that Helve keeps for it, as the guide says.
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { type Fields, load, place, resultOf, run, sdkTest } from './agent-sdk.js';

sdkTest('a session that the SDK has deleted goes on, and one that it has forked is not known', {}, async () => {
  const at = await place([{ text: 'First.' }, { text: 'Second.' }]);
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(at.home, '.claude')); // where these functions look, in this process
  onTestFinished(() => void vi.unstubAllEnvs());
  const sdk = (await load()) as unknown as Record<string, (...given: unknown[]) => Promise<Fields>>; // checked by use
  const sessionId = String(resultOf(await run(at, {}))['session_id']);
  const inProject = { dir: at.cwd };
  const { sessionId: forked } = (await sdk['forkSession']?.(sessionId, inProject)) ?? {};
  await expect(run(at, { resume: forked })).rejects.toThrow(`There is no session "${String(forked)}"`);
  await sdk['deleteSession']?.(sessionId, inProject);
  expect(resultOf(await run(at, { resume: sessionId }))).toMatchObject({ result: 'Second.', session_id: sessionId });
  expect(JSON.stringify(at.server.requests.at(-1)?.body.messages)).toContain('First.');
});
