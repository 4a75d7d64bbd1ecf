import { chmodSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builtInCatalogue } from '../../models/catalogue/catalogue.js';
import { chooseModel } from '../../models/catalogue/choose-model.js';
import { forgetKey, storeKey } from '../../models/catalogue/store-key.js';
import { storedKeysPath, withStoredKeys } from '../../models/catalogue/stored-keys.js';
import { findModelOffers, keyProviders, setupHint } from './model-offers.js';

const machine = () => ({ HELVE_HOME: mkdtempSync(join(tmpdir(), 'helve-first-run-')) });

test('a stored key is used if the environment has none', async () => {
  const env = machine();
  await expect(chooseModel(undefined, env)).rejects.toThrow('No model is set up');
  expect(await storeKey('ANTHROPIC_API_KEY', ' sk-1 ', env)).toBeUndefined();
  const model = await chooseModel(undefined, env);
  expect(model.provider).toBe('anthropic');
  expect((await chooseModel('sonnet', env)).provider).toBe('anthropic');
});

test('the environment takes precedence over stored keys', async () => {
  const env = { ...machine(), OPENAI_API_KEY: 'sk-env' };
  await storeKey('ANTHROPIC_API_KEY', 'sk-stored', env);
  expect((await chooseModel(undefined, env)).provider).toBe('openai');
  await storeKey('OPENAI_API_KEY', 'sk-other', env);
  expect(withStoredKeys(env)['OPENAI_API_KEY']).toBe('sk-env');
});

test('keys of several providers are stored side by side, and each can be removed', async () => {
  const env = machine();
  await Promise.all(['A_KEY', 'B_KEY', 'C_KEY'].map(async (name) => await storeKey(name, `${name}-1`, env)));
  expect(await forgetKey('B_KEY', env)).toBe(true);
  expect(await forgetKey('B_KEY', env)).toBe(false);
  expect(JSON.parse(readFileSync(storedKeysPath(env), 'utf8'))).toEqual({
    keys: { A_KEY: 'A_KEY-1', C_KEY: 'C_KEY-1' },
  });
});

test.each(['', '  ', 'two words', 'https://example.com', 'tab\tkey', 'ключ'])('does not store %j', async (typed) => {
  const env = machine();
  expect(await storeKey('ANTHROPIC_API_KEY', typed, env)).toMatch(/stored/);
  expect(withStoredKeys(env)).toBe(env);
});

test.each([
  ['others can read it', (path: string) => chmodSync(path, 0o644), /other users can access it; run chmod 600/],
  ['it is broken', (path: string) => writeFileSync(path, '{'), /are not used/],
])('reports that stored keys are not used if %s', async (_, spoil, problem) => {
  const env = machine();
  await storeKey('ANTHROPIC_API_KEY', 'sk-1', env);
  spoil(storedKeysPath(env));
  await expect(chooseModel(undefined, env)).rejects.toThrow(problem);
});

test('reads no keys through a symlink', async () => {
  const [env, elsewhere] = [machine(), machine()];
  await storeKey('ANTHROPIC_API_KEY', 'sk-1', elsewhere);
  symlinkSync(storedKeysPath(elsewhere), storedKeysPath(env));
  await expect(chooseModel(undefined, env)).rejects.toThrow('it is a link');
});

test('offers the model servers of this machine, and nothing if there are none', async () => {
  const server = createServer((_, response) => response.end(JSON.stringify({ data: [{ id: 'one' }, { id: 'two' }] })));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const ollama = builtInCatalogue().providers.get('ollama');
  if (!ollama?.baseUrlVariable) throw new Error('Ollama has a variable for its address.');
  const catalogue = { ...builtInCatalogue(), providers: new Map([['ollama', ollama]]) };
  const env = { ...machine(), [ollama.baseUrlVariable]: `http://127.0.0.1:${port}/v1` };
  const offers = await findModelOffers(env, catalogue);
  expect(offers.map(({ model }) => model)).toEqual(['ollama/one', 'ollama/two']);
  expect(setupHint(offers).join('\n')).toContain('/model ollama/one');
  expect(setupHint([]).join('\n')).not.toContain('on this machine');
  expect(setupHint([])[1]).toContain('/login signs in with a ChatGPT plan');
});

test('lists which providers have a key, and never the key', async () => {
  const env = { ...machine(), OPENAI_API_KEY: 'sk-env' };
  await storeKey('ANTHROPIC_API_KEY', 'sk-stored', env);
  const providers = await keyProviders(env);
  expect(providers.find(({ id }) => id === 'openai')?.from).toBe('environment');
  expect(providers.find(({ id }) => id === 'anthropic')).toEqual({
    id: 'anthropic',
    title: 'Anthropic',
    variable: 'ANTHROPIC_API_KEY',
    from: 'stored',
  });
  expect(JSON.stringify(providers)).not.toContain('sk-');
});
