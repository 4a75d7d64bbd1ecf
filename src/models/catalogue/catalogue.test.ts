import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Effort, efforts } from '../../contract/model.js';
import { accessTo, builtInCatalogue, knownModel, nearestEffort } from './catalogue.js';
import { loadCatalogue } from './load-catalogue.js';
import { planModel } from './plan-model.js';

const catalogue = builtInCatalogue();

const fromFile = (content: unknown) =>
  loadCatalogue({ HELVE_HOME: '/h' }, async () => (typeof content === 'string' ? content : JSON.stringify(content)));

test('every model belongs to a provider, and every default and short name refers to a model', () => {
  for (const id of catalogue.models.keys()) expect(catalogue.providers.has(id.slice(0, id.indexOf('/')))).toBe(true);
  for (const { id, defaultModel, aliases = {} } of catalogue.providers.values()) {
    for (const name of [...(defaultModel ? [defaultModel] : []), ...Object.values(aliases)]) {
      expect(catalogue.models.has(`${id}/${name}`), `${id}/${name}`).toBe(true);
    }
  }
});

test('no output limit exceeds the context, and cached input costs no more than other input', () => {
  for (const [id, { contextTokens = Infinity, outputTokens = 0, prices }] of catalogue.models) {
    expect(outputTokens, id).toBeLessThan(contextTokens);
    expect(prices?.cacheRead ?? 0, id).toBeLessThanOrEqual(prices?.input ?? 0);
  }
});

test.each([
  ['openai', 'gpt-6.1-sol', 'patch'],
  ['openai', 'gpt-5.9-codex-someday', 'patch'],
  ['openai', 'o3', 'patch'],
  ['openrouter', 'openai/gpt-5.5', 'patch'],
  ['openai', 'gpt-4.1', undefined],
  ['openai', 'gpt-50-mini', 'patch'],
  ['ollama', 'gpt-oss:20b', undefined],
  ['ollama', 'olmo', undefined],
  ['anthropic', 'claude-sonnet-5-5', undefined],
])('%s/%s edits files with %s', (provider, name, editStyle) => {
  expect(knownModel(catalogue, provider, name).editStyle).toBe(editStyle);
});

test.each([
  ['ollama', 'qwen2.5-coder:7b', 'recover'],
  ['vllm', 'NousResearch/Hermes-3-Llama-3.1-8B', 'recover'],
  ['llamacpp', 'GLM-4.7-Flash', 'recover'],
  ['ollama', 'some-model', undefined],
  ['qwen', 'qwen3.8-max', undefined],
  ['deepseek', 'deepseek-flash', undefined],
])('calls in the text of %s/%s: %s', (provider, name, textCalls) => {
  expect(knownModel(catalogue, provider, name).textCalls).toBe(textCalls);
});

test('a dated name has the same facts as the name without the date', () => {
  expect(knownModel(catalogue, 'anthropic', 'claude-haiku-4-5-20251001')).toEqual(
    catalogue.models.get('anthropic/claude-haiku-4-5'),
  );
  expect(knownModel(catalogue, 'openai', 'gpt-5-2025-08-07').contextTokens).toBe(400_000);
  expect(knownModel(catalogue, 'anthropic', 'claude-someday')).toEqual({});
});

test.each<[Effort, Effort[] | undefined, Effort | undefined]>([
  ['max', undefined, 'max'],
  ['none', ['low', 'medium', 'high', 'max'], 'low'],
  ['max', ['low', 'medium', 'high'], 'high'],
  ['medium', ['low', 'high'], 'low'],
  ['high', [], undefined],
])('for the effort %s, if %j are accepted, %s is used', (wanted, accepted, expected) => {
  expect(nearestEffort(wanted, accepted)).toBe(expected);
});

test('the nearest effort is always an accepted one, and the requested one if it is accepted', () => {
  fc.assert(
    fc.property(fc.constantFrom(...efforts), fc.subarray([...efforts], { minLength: 1 }), (wanted, accepted) => {
      const nearest = nearestEffort(wanted, accepted);
      expect(accepted).toContain(nearest);
      if (accepted.includes(wanted)) expect(nearest).toBe(wanted);
    }),
  );
});

test('a missing file changes nothing', async () => {
  const gone = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ENOENT' }));
  expect(await loadCatalogue({ HELVE_HOME: '/h' }, gone)).toEqual(catalogue);
});

test('a file adds a provider with its models, short names and choices', async () => {
  const own = await fromFile({
    default: 'acme',
    small: 'quick',
    aliases: { quick: 'ollama/qwen3' },
    providers: {
      acme: { wire: 'chat', baseUrl: 'https://models.acme.example/v1', keys: ['ACME_KEY'], defaultModel: 'coder' },
    },
    models: { 'acme/coder': { contextTokens: 1000, prices: { input: 1, output: 2 }, editStyle: 'patch' } },
  });
  expect(planModel(undefined, { ACME_KEY: 'k' }, own)).toMatchObject({
    provider: { id: 'acme', title: 'acme' },
    name: 'coder',
    wire: 'chat',
    baseUrl: 'https://models.acme.example/v1',
    keyVariable: 'ACME_KEY',
    known: { contextTokens: 1000, prices: { input: 1, output: 2 }, editStyle: 'patch' },
  });
  expect(planModel('quick', {}, own)).toMatchObject({ provider: { id: 'ollama' }, name: 'qwen3' });
  expect(own.small).toBe('quick');
});

test('a file changes single built-in fields, and keeps the rest', async () => {
  const own = await fromFile({
    providers: { ollama: { baseUrl: 'http://127.0.0.1:5000/v1' }, openai: { defaultModel: 'gpt-5' } },
    models: { 'anthropic/claude-haiku-5-5': { prices: { input: 0.1, output: 0.5 } } },
  });
  expect(own.providers.get('ollama')).toMatchObject({ title: 'Ollama', baseUrl: 'http://127.0.0.1:5000/v1', keys: [] });
  expect(own.providers.get('openai')).toEqual({ ...catalogue.providers.get('openai'), defaultModel: 'gpt-5' });
  const marks = await fromFile({ models: { 'ollama/qwen3': { textCalls: 'off', toolProfile: 'small' } } });
  expect(knownModel(marks, 'ollama', 'qwen3')).toEqual({ textCalls: 'off', toolProfile: 'small' });
  expect(own.models.get('anthropic/claude-haiku-5-5')).toEqual({
    ...catalogue.models.get('anthropic/claude-haiku-5-5'),
    prices: { input: 0.1, output: 0.5 },
  });
});

test('a format that a file names applies to every address', async () => {
  const own = (await fromFile({ providers: { openai: { wire: 'responses' } } })).providers.get('openai');
  const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
  expect(own && accessTo(own, env).wire).toBe('responses');
});

test('a provider that a file moves to another address uses the format of that address', async () => {
  const own = await fromFile({ providers: { openai: { baseUrl: 'http://127.0.0.1:9/v1', keys: [] } } });
  expect(planModel('openai/m', {}, own)).toMatchObject({ wire: 'chat', baseUrl: 'http://127.0.0.1:9/v1' });
});

test('an address in a file applies to every key, and a key keeps its own address if no other is given', async () => {
  const moved = await fromFile({ providers: { glm: { baseUrl: 'http://127.0.0.1:9/mine' } } });
  const both = await fromFile({ providers: { glm: { baseUrl: 'http://127.0.0.1:9/mine', keys: ['ZHIPU_API_KEY'] } } });
  const named = await fromFile({ providers: { glm: { keys: ['MY_KEY', 'ZHIPU_API_KEY'] } } });
  const env = { ZHIPU_API_KEY: 'k' };
  const access = { keyVariable: 'ZHIPU_API_KEY', baseUrl: 'http://127.0.0.1:9/mine' };
  expect(planModel('glm/x', env, moved)).toMatchObject(access);
  expect(planModel('glm/x', env, both)).toMatchObject(access);
  expect(planModel('glm/x', env, named).baseUrl).toBe('https://open.bigmodel.cn/api/paas/v4');
  const elsewhere = { ...env, ZAI_BASE_URL: 'http://127.0.0.1:10/v4' };
  expect(planModel('glm/x', elsewhere, moved).baseUrl).toBe('http://127.0.0.1:10/v4');
  expect(planModel('glm/x', elsewhere, catalogue).baseUrl).toBe('http://127.0.0.1:10/v4');
});

test('a byte order mark at the beginning of a file is accepted', async () => {
  expect((await fromFile('\ufeff{"default": "ollama/x"}')).default).toBe('ollama/x');
});

const glm = (fields: unknown) => ({ providers: { glm: fields } });

test.each<[unknown, string]>([
  [glm({ headers: { 'x-token': ['pa55word'] } }), 'providers.glm.headers["x-token"] must be a text. '],
  [glm({ headers: 'pa55word' }), 'providers.glm.headers must be an object. '],
  [glm({ baseUrl: 'https://me:pa55word@models.example' }), 'providers.glm.baseUrl must be an address that begins with'],
  [glm({ baseUrl: ['pa55word'] }), 'providers.glm.baseUrl must be a text. '],
  [glm({ keys: 'pa55word' }), 'providers.glm.keys must be an array of names of variables. '],
  [
    glm({ keys: ['OK', 'sk-pa55word'] }),
    'providers.glm.keys[1] must be the name of the variable that holds the key, not the key itself. ',
  ],
  [glm({ keys: [{ key: 'pa55word' }] }), 'providers.glm.keys[0] must be the name of the variable that holds the key, '],
  [glm({ baseUrlVariable: 'https://pa55word@x' }), 'providers.glm.baseUrlVariable must be the name of a variable. '],
  [glm({ title: { headers: 'pa55word' } }), 'providers.glm.title must be a text, but was an object. '],
  [glm({ key: 'pa55word' }), 'in providers.glm, "key" is not a field that helve knows: did you mean "keys"? '],
  [
    glm({ headers: { 'x-a': 'pa55word\r\nx-b: 1' } }),
    'providers.glm.headers["x-a"] must be one line of ASCII characters. ',
  ],
  [
    glm({ headers: { 'x-a': '\u2019pa55word' } }),
    'providers.glm.headers["x-a"] must be one line of ASCII characters. ',
  ],
  [glm('pa55word'), 'providers.glm must be an object. '],
  [{ providers: [glm({ headers: { a: 'pa55word' } })] }, 'providers must be an object. '],
  [['pa55word'], 'the whole must be an object. '],
  [
    '{\n"providers": {"glm": {\n"headers": {"a": "pa55word" "b"}}}',
    "models.json is not valid JSON (Expected ',' or '}' after property value in JSON at position",
  ],
  ['{\n"providers": {"glm": {\n"a": pa55word', "models.json is not valid JSON (Unexpected token 'p' at line 3). "],
])('no message about a broken file shows a secret: %j', async (content, sentence) => {
  const failure = await fromFile(content).catch((error: unknown) => error);
  expect(String(failure)).toContain(sentence);
  expect(String(failure)).not.toContain('pa55');
});

test.each<[unknown, string]>([
  ['{"models": ', '/h/models.json is not valid JSON ('],
  [[], '/h/models.json: the whole must be an object. '],
  [{ modles: {} }, '/h/models.json: "modles" is not a field that helve knows: did you mean "models"? '],
  [glm({ base_url: 'x' }), 'in providers.glm, "base_url" is not a field that helve knows: did you mean "baseUrl"? '],
  [{ zebra: {} }, '/h/models.json: "zebra" is not a field that helve knows. '],
  [glm({ headers: { 'a b': 'x' } }), 'providers.glm.headers["a b"] must be a name of letters, digits and "-". '],
  [
    glm({ headers: { 'Content-Length': '5' } }),
    'providers.glm.headers["Content-Length"] is set by the connection itself, so leave it out. ',
  ],
  [
    { models: { 'openai/x': { contextTokens: 'lots' } } },
    '/h/models.json: models["openai/x"].contextTokens must be a whole number above 0, but was "lots". ',
  ],
  [
    { models: { 'openai/x': { prices: { input: 1 } } } },
    '/h/models.json: models["openai/x"].prices.output is missing. ',
  ],
  [
    { models: { 'openai/x': { price: 1 } } },
    '/h/models.json: in models["openai/x"], "price" is not a field that helve knows: did you mean "prices"? ',
  ],
  [{ models: { x: {} } }, '/h/models.json: models.x must have the form "provider/name". '],
  [{ models: { 'acme/x': {} } }, '/h/models.json: models["acme/x"] belongs to "acme", which is not a known provider. '],
  [
    { providers: { acme: { wire: 'chat' } } },
    '/h/models.json: providers.acme.baseUrl is missing, and "acme" is not a provider that helve knows. ',
  ],
  [
    { providers: { openai: { wire: 'soap' } } },
    '/h/models.json: providers.openai.wire must be "anthropic" or "chat" or "responses" or "gemini", but was "soap". ',
  ],
  [
    { providers: { openai: { baseUrl: 'models.example' } } },
    '/h/models.json: providers.openai.baseUrl must be an address that begins with http:// or https:// and holds no password. ',
  ],
  [{ providers: { 'a b': {} } }, '/h/models.json: providers["a b"] must be a name of letters, digits, "_" and "-". '],
  [{ aliases: { x: 3 } }, '/h/models.json: aliases.x must be a text, but was 3. '],
  [{ default: '' }, '/h/models.json: default must not be empty, but was "". '],
])('a broken file, %j, is refused with its name and field', async (content, beginning) => {
  const failure = await fromFile(content).catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'ModelFailure', kind: 'invalid_request' });
  expect(String(failure)).toContain(beginning);
  expect(String(failure)).toMatch(/Correct the file, or move it away\.$/);
});

test('an unreadable file is refused', async () => {
  const locked = () => Promise.reject(Object.assign(new Error('permission denied'), { code: 'EACCES' }));
  await expect(loadCatalogue({ HELVE_HOME: '/h' }, locked)).rejects.toThrow(
    "/h/models.json can't be read: permission denied. Correct it, or move it away.",
  );
});

test('no JSON value causes a crash', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), async (json) => {
      const outcome = await fromFile(json).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome.name).toBe('ModelFailure');
    }),
  );
});
