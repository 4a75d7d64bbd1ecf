import { expect, test } from 'vitest';
import { storedSignIns } from '../../src/models/sign-in/sign-in-file.js';
import { ProviderSignIn } from '../../src/terminal/session/provider-sign-in.js';
import { emptyFolder } from '../cli/run-helve.js';
import { providerServer } from '../scenarios/provider-server.js';

async function desk() {
  const server = await providerServer();
  const env = { HELVE_HOME: await emptyFolder(), HELVE_SIGN_IN_SERVER: server.origin, BROWSER: '/nowhere/browser' };
  const told: string[] = [];
  const done = Promise.withResolvers<void>();
  const ended = new AbortController();
  const parts = { env, isNew: false, tell: (text: string) => void told.push(text), done: async () => done.resolve() };
  return { server, env, told, done: done.promise, ended, parts, logins: new ProviderSignIn(ended.signal) };
}

test('a sign-in in the terminal leaves the prompt free, and takes a pasted address', async () => {
  const { env, told, done, parts, logins } = await desk();
  await logins.begin('openai', parts);
  const [address = ''] = /http:\S+authorize\S+/.exec(told.join('\n')) ?? [];
  expect(told.at(-1)).toBe(
    "If the browser ends at a page that can't be loaded, enter /login openai again, and paste its address.",
  );
  expect(logins.isPending('openai')).toBe(true);
  expect(() => logins.paste('openrouter', 'x')).toThrow('No sign-in to OpenRouter is waiting. Begin with /login');
  const end = (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? '';
  logins.paste('openai', end);
  await done;
  expect(told.join('\n')).toContain('Signed in to ChatGPT as ada@example.com, with 1 model.');
  expect(storedSignIns(env)).toMatchObject([{ provider: 'openai', signIn: { account: 'ada@example.com' } }]);
  expect(logins.isPending('openai')).toBe(false);
});

test('a sign-in that waits ends with the terminal, silently, and with another sign-in', async () => {
  const { told, ended, parts, logins } = await desk();
  await logins.begin('openrouter', parts);
  await logins.begin('openai', parts);
  expect(told).toContain('Another sign-in has begun.');
  expect(logins.isPending('openrouter')).toBe(false);
  const count = told.length;
  ended.abort(new Error('The terminal was closed.'));
  await expect.poll(() => logins.isPending('openai')).toBe(false);
  expect(told).toHaveLength(count);
});
