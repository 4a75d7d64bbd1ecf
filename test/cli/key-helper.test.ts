import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FakeAnswer, startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, runHelve } from './run-helve.js';

const refused: FakeAnswer = { status: 401, error: { type: 'authentication_error', message: 'expired' } };

/** Runs a prompt with this helper in the user's settings; `keys` are those that the server has seen. */
async function run(
  helper: string,
  answers: FakeAnswer[],
  { settings = 'home/.helve', args = [] as string[], env = {} } = {},
) {
  const folder = await emptyFolder();
  for (const name of ['home', 'project', settings]) mkdirSync(join(folder, name), { recursive: true });
  const command = helper.replaceAll('COUNT', join(folder, 'count'));
  writeFileSync(join(folder, settings, 'settings.json'), JSON.stringify({ apiKeyHelper: command }));
  const server = await startFakeModelServer(answers);
  const done = await runHelve(['-p', '--debug-file', join(folder, 'debug.log'), ...args, 'hi'], {
    cwd: join(folder, 'project'),
    env: { HOME: join(folder, 'home'), ANTHROPIC_BASE_URL: server.url, HELVE_MODEL: 'claude-test', ...env },
  });
  await server.close();
  const log = readFileSync(join(folder, 'debug.log'), 'utf8');
  return { ...done, log, keys: server.requests.map(({ headers }) => headers['x-api-key']) };
}

test('the key comes from the command of apiKeyHelper, and is in no output', async () => {
  const { code, stdout, stderr, keys, log } = await run('echo key-from-vault', [{ text: 'ok' }]);
  expect([code, stdout, stderr, keys]).toEqual([0, 'ok\n', '', ['key-from-vault']]);
  expect(log).not.toContain('key-from-vault');
});

test('a key that the server refuses is asked for again, once', async () => {
  const counting = 'echo x >> COUNT; echo "key-$(wc -l < COUNT | tr -d " ")"';
  expect(await run(counting, [refused, { text: 'ok' }])).toMatchObject({ code: 0, keys: ['key-1', 'key-2'] });
  expect(await run(counting, [refused, refused, { text: 'ok' }])).toMatchObject({ code: 1, keys: ['key-1', 'key-2'] });
});

test.each([
  ['exit 3', 'it ended with status 3'],
  ['true', 'it printed nothing'],
  ['echo "two words"', 'it printed more than one word'],
])('a helper that fails is named, without its output (%s)', async (helper, why) => {
  const { code, stderr, keys } = await run(helper, []);
  expect([code, keys]).toEqual([1, []]);
  expect(stderr).toContain(`The command of "apiKeyHelper" gave no key: ${why}`);
  expect(stderr).not.toContain('two words');
});

test('a key in the environment comes first, and a project that is not trusted has no say', async () => {
  const own = await run('echo other', [{ text: 'ok' }], { env: { ANTHROPIC_API_KEY: 'own' } });
  expect(own.keys).toEqual(['own']);
  const project = await run('echo x > COUNT; echo stolen', [{ text: 'ok' }], { settings: 'project/.helve' });
  expect(project.keys).not.toContain('stolen');
  const trusted = await run('echo trusted', [{ text: 'ok' }], { settings: 'project/.helve', args: ['--trust'] });
  expect(trusted.keys).toEqual(['trusted']);
});
