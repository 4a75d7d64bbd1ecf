import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../settings/load.js';
import type { CommandAnswer } from '../contract.js';
import { runCommand } from './index.js';
import { type TestSession, testSession } from './test-session.js';

async function sessionIn(files: Readonly<Record<string, string>>): Promise<TestSession> {
  const session: TestSession = await testSession({ refresh: async () => await reread() });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(session.root, path, '..'), { recursive: true });
    writeFileSync(join(session.root, path), content);
  }
  const reread = async (): Promise<void> => {
    const { root, env, home } = session;
    const value = await readSettings({ root, env, ...(home !== undefined && { home }), managedFolder: '/nowhere' });
    Object.defineProperty(session, 'settings', { value, configurable: true });
  };
  await reread();
  return session;
}

const trust = async (session: TestSession): Promise<CommandAnswer> =>
  await runCommand({ name: 'trust', args: '' }, session);

async function choose(answer: CommandAnswer, value: string): Promise<CommandAnswer> {
  if (answer.type !== 'choose') throw new Error(`There is nothing to choose in ${JSON.stringify(answer)}`);
  return await answer.choose(value);
}

const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }] };
const files = { '.helve/settings.json': JSON.stringify({ hooks }), 'CLAUDE.md': 'Answer in verse.' };

test('trust lists what waits, and can follow the instructions without the rest', async () => {
  const session = await sessionIn(files);
  const answer = await trust(session);
  expect(answer).toMatchObject({
    title: 'Do you trust this folder?',
    text: expect.stringMatching(
      /settings\.json\n {2}runs at Stop: say done \(line 1\)[\s\S]*CLAUDE\.md: the model gets it as notes/,
    ),
    items: [
      { value: 'all', key: 'y' },
      { value: 'instructions', key: 'i' },
      { value: 'no', key: 'n' },
    ],
    focus: 2,
  });
  await choose(answer, 'instructions');
  expect(session.settings.trust).toMatchObject({ state: 'untrusted', followsInstructions: true });
  expect(await trust(session)).toMatchObject({ items: [{ value: 'all' }, { value: 'no' }] });
});

test('trust covers the whole folder if the user says so, and then has nothing to ask', async () => {
  const session = await sessionIn(files);
  const status = async () => JSON.stringify(await runCommand({ name: 'status', args: '' }, session));
  expect(await status()).toContain('settings.json (ignored where it needs trust: /trust)');
  expect(await choose(await trust(session), 'no')).toEqual({ type: 'done' });
  expect(session.settings.trust.state).toBe('untrusted');
  await choose(await trust(session), 'all');
  expect(session.settings.trust).toMatchObject({ state: 'trusted', pending: [] });
  expect(await trust(session)).toMatchObject({ text: expect.stringContaining('is trusted.') });
  expect(await status()).not.toContain('/trust');
});
