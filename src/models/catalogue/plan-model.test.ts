import { expect, test } from 'vitest';
import { builtInCatalogue, type Catalogue } from './catalogue.js';
import { planModel, wantedModel } from './plan-model.js';

const catalogue = builtInCatalogue();
const anthropic = { ANTHROPIC_API_KEY: 'k' };
const openai = { OPENAI_API_KEY: 'k' };
const openrouter = { OPENROUTER_API_KEY: 'k' };
const elsewhere = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };

function shown(wanted: string | undefined, env: Record<string, string>, known: Catalogue = catalogue): string {
  const { provider, name, wire, baseUrl, keyVariable } = planModel(wanted, env, known);
  return [`${provider.id}/${name}`, wire, new URL(baseUrl).host, keyVariable ?? 'no key'].join(' ');
}

test.each<[string | undefined, Record<string, string>, string]>([
  // provider/name
  ['anthropic/claude-opus-4-1', anthropic, 'anthropic/claude-opus-4-1 anthropic api.anthropic.com ANTHROPIC_API_KEY'],
  ['anthropic/org/some-model', anthropic, 'anthropic/org/some-model anthropic api.anthropic.com ANTHROPIC_API_KEY'],
  ['openai/gpt-someday', openai, 'openai/gpt-someday responses api.openai.com OPENAI_API_KEY'],
  ['openrouter/a/b:free', openrouter, 'openrouter/a/b:free chat openrouter.ai OPENROUTER_API_KEY'],
  ['deepseek/x', { DEEPSEEK_API_KEY: 'k' }, 'deepseek/x chat api.deepseek.com DEEPSEEK_API_KEY'],
  ['qwen/x', { DASHSCOPE_API_KEY: 'k' }, 'qwen/x chat dashscope-intl.aliyuncs.com DASHSCOPE_API_KEY'],
  ['glm/x', { ZAI_API_KEY: 'k' }, 'glm/x chat api.z.ai ZAI_API_KEY'],
  ['glm/x', { ZHIPU_API_KEY: 'k' }, 'glm/x chat open.bigmodel.cn ZHIPU_API_KEY'],
  ['kimi/x', { MOONSHOT_API_KEY: 'k' }, 'kimi/x chat api.moonshot.ai MOONSHOT_API_KEY'],
  ['mistral/x', { MISTRAL_API_KEY: 'k' }, 'mistral/x chat api.mistral.ai MISTRAL_API_KEY'],
  ['ollama/qwen3:8b', {}, 'ollama/qwen3:8b chat 127.0.0.1:11434 no key'],
  ['lmstudio/m', {}, 'lmstudio/m chat 127.0.0.1:1234 no key'],
  ['llamacpp/m', {}, 'llamacpp/m chat 127.0.0.1:8080 no key'],
  ['vllm/m', { VLLM_BASE_URL: 'http://10.0.0.1:8000/v1' }, 'vllm/m chat 10.0.0.1:8000 no key'],
  ['openrouter/opus', openrouter, 'openrouter/anthropic/claude-opus-5.5 chat openrouter.ai OPENROUTER_API_KEY'],
  // a cloud has other ways to sign in than a key
  [
    'bedrock/opus',
    {},
    'bedrock/global.anthropic.claude-opus-5-5 anthropic bedrock-runtime.region.amazonaws.com no key',
  ],
  ['vertex', {}, 'vertex/claude-sonnet-5-5 anthropic location-aiplatform.googleapis.com no key'],
  // another address uses the format of compatible servers; the vendor's own address keeps its format
  ['openai/m', elsewhere, 'openai/m chat 127.0.0.1:9 no key'],
  ['openai/m', { ...elsewhere, ...openai }, 'openai/m chat 127.0.0.1:9 OPENAI_API_KEY'],
  [
    'openai/m',
    { OPENAI_BASE_URL: 'https://api.openai.com/v1/', ...openai },
    'openai/m responses api.openai.com OPENAI_API_KEY',
  ],
  // short names
  ['sonnet', anthropic, 'anthropic/claude-sonnet-5-5 anthropic api.anthropic.com ANTHROPIC_API_KEY'],
  ['opus', openrouter, 'openrouter/anthropic/claude-opus-5.5 chat openrouter.ai OPENROUTER_API_KEY'],
  [
    'haiku',
    { ...openrouter, ...anthropic },
    'anthropic/claude-haiku-5-5 anthropic api.anthropic.com ANTHROPIC_API_KEY',
  ],
  // bare names, and a provider alone
  ['claude-someday', anthropic, 'anthropic/claude-someday anthropic api.anthropic.com ANTHROPIC_API_KEY'],
  ['gpt-someday', openai, 'openai/gpt-someday responses api.openai.com OPENAI_API_KEY'],
  ['gpt-5', openai, 'openai/gpt-5 responses api.openai.com OPENAI_API_KEY'],
  ['kimi-k3', { MOONSHOT_API_KEY: 'k' }, 'kimi/kimi-k3 chat api.moonshot.ai MOONSHOT_API_KEY'],
  ['deepseek', { DEEPSEEK_API_KEY: 'k' }, 'deepseek/deepseek-flash chat api.deepseek.com DEEPSEEK_API_KEY'],
  // nothing named
  [undefined, anthropic, 'anthropic/claude-sonnet-5-5 anthropic api.anthropic.com ANTHROPIC_API_KEY'],
  [
    undefined,
    { ANTHROPIC_AUTH_TOKEN: 't', ...anthropic },
    'anthropic/claude-sonnet-5-5 anthropic api.anthropic.com ANTHROPIC_AUTH_TOKEN',
  ],
  [undefined, { ...openai, ...anthropic }, 'anthropic/claude-sonnet-5-5 anthropic api.anthropic.com ANTHROPIC_API_KEY'],
  [undefined, openai, 'openai/gpt-6.1-sol responses api.openai.com OPENAI_API_KEY'],
  [undefined, elsewhere, 'openai/gpt-6.1-sol chat 127.0.0.1:9 no key'],
  [
    undefined,
    { ANTHROPIC_API_KEY: ' ', MISTRAL_API_KEY: 'k' },
    'mistral/mistral-medium-latest chat api.mistral.ai MISTRAL_API_KEY',
  ],
])('resolves %j with %j to %s', (wanted, env, expected) => {
  expect(shown(wanted, env)).toBe(expected);
});

test('the flag takes precedence over HELVE_MODEL, and a blank one is ignored', () => {
  expect(wantedModel(' opus ', { HELVE_MODEL: 'haiku' })).toBe('opus');
  expect(wantedModel(' ', { HELVE_MODEL: ' haiku ' })).toBe('haiku');
  expect(wantedModel(undefined, { HELVE_MODEL: '' })).toBeUndefined();
});

test("a user's short names and default take precedence over built-in ones, and cannot be circular", () => {
  const own: Catalogue = {
    ...catalogue,
    default: 'fast',
    aliases: new Map([
      ['fast', 'ollama/qwen3'],
      ['sonnet', 'opus'],
      ['round', 'round'],
    ]),
  };
  expect(shown(undefined, anthropic, own)).toContain('ollama/qwen3');
  expect(shown('sonnet', anthropic, own)).toContain('anthropic/claude-opus-5-5');
  expect(() => shown('round', anthropic, own)).toThrow('"round" stands for "round" in models.json, a cycle');
});

const how =
  'Write PROVIDER/NAME (for example anthropic/claude-sonnet-5-5), a short name such as sonnet, or scripted/FILE; "helve models" lists what is known.';

test.each<[string | undefined, Record<string, string>, string, string]>([
  [
    undefined,
    {},
    'auth',
    'No model is set up: set ANTHROPIC_API_KEY, OPENAI_API_KEY or another key that "helve models" lists, sign in with "helve login openai" (a ChatGPT plan) or "helve login openrouter", or name a model on this machine, as in --model ollama/NAME; "helve demo" needs no key.',
  ],
  [
    undefined,
    { OLLAMA_BASE_URL: 'http://127.0.0.1:5000/v1' },
    'unknown_model',
    'Ollama is set up, but no model is named. Name one with --model ollama/NAME or in HELVE_MODEL.',
  ],
  [
    'acme/m1',
    {},
    'unknown_model',
    expect.stringMatching(
      /^"acme\/m1" names no model: there is no provider "acme"\. Some providers are anthropic, .*; "helve models" lists what is known\.$/,
    ),
  ],
  [
    'anthropic/',
    {},
    'unknown_model',
    '"anthropic/" names no model: nothing follows the slash. "helve models" lists what is known.',
  ],
  [
    'ollama',
    {},
    'unknown_model',
    '"ollama" is a provider without a default model. Add the name of one: --model ollama/NAME.',
  ],
  [
    'qwen3',
    {},
    'unknown_model',
    '"qwen3" names no model without its provider. If it runs on this machine, write "ollama/qwen3", or lmstudio, llamacpp or vllm in the place of ollama; "helve models" lists what is known.',
  ],
  ...['anthropic/claude-sonet-4-5', 'claude-sonet-4-5'].flatMap((wanted) =>
    [{}, anthropic].map((env): [string, Record<string, string>, string, string] => [
      wanted,
      env,
      'unknown_model',
      '"claude-sonet-4-5" is not a known model of Anthropic. Did you mean "anthropic/claude-sonnet-4-5"? If it is the right name of a new model, add it to models.json: {"models":{"anthropic/claude-sonet-4-5":{}}}',
    ]),
  ),
  ['constructor', {}, 'unknown_model', `"constructor" names no model. ${how}`],
  [
    'antropic/claude-x',
    {},
    'unknown_model',
    '"antropic/claude-x" names no model: there is no provider "antropic". Did you mean "anthropic/claude-x"?',
  ],
  ['sonet', {}, 'unknown_model', `"sonet" names no model. Did you mean "sonnet"? "helve models" lists what is known.`],
  [
    'sonnet',
    {},
    'auth',
    'No key for Anthropic: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or ANTHROPIC_BASE_URL for a server that needs none.',
  ],
  [
    'glm/glm-5.3',
    anthropic,
    'auth',
    'No key for Z.ai: set ZAI_API_KEY or ZHIPU_API_KEY, or ZAI_BASE_URL for a server that needs none.',
  ],
])('refuses %j with %j', (wanted, env, kind, message) => {
  expect(() => planModel(wanted, env, catalogue)).toThrow(expect.objectContaining({ kind, message }));
});

test.each<[Record<string, string>, string]>([
  [{ a: 'a' }, '"a" stands for "a" in models.json, a cycle without a model.'],
  [{ a: 'b', b: 'c', c: 'a' }, '"a" stands for "b", "b" for "c", "c" for "a" in models.json, a cycle without a model.'],
  [{ a: 'b', b: 'b' }, '"a" stands for "b", "b" for "b" in models.json, a cycle without a model.'],
  [{ a: 'b', b: 'ollama/x' }, '"b", for which "a" stands, names no model.'],
])('short names %j are refused: %s', (aliases, sentence) => {
  const own = { ...catalogue, aliases: new Map(Object.entries(aliases)) };
  expect(() => planModel('a', {}, own)).toThrow(sentence);
});

test('short names that swap two built-in ones are not circular', () => {
  const own = {
    ...catalogue,
    aliases: new Map([
      ['opus', 'haiku'],
      ['haiku', 'opus'],
    ]),
  };
  expect(planModel('opus', anthropic, own).name).toBe('claude-haiku-5-5');
});

test.each(['user:pa55word@host:80/v1', 'pa55word', 'ftp://pa55word@host'])(
  'an invalid address, %s, is not shown',
  (address) => {
    const failure = catching(() => planModel('openai/m', { OPENAI_BASE_URL: address }, catalogue));
    expect(failure).toMatchObject({ name: 'ModelFailure', kind: 'unreachable' });
    expect(String(failure)).toBe(
      'ModelFailure: OPENAI_BASE_URL is not a web address, which begins with http:// or https://. Set it to one like https://api.openai.com/v1.',
    );
  },
);

test('an example address omits the configured query', () => {
  const openai = catalogue.providers.get('openai');
  const providers = new Map(openai && [['openai', { ...openai, baseUrl: 'http://127.0.0.1:9/v1?token=pa55word' }]]);
  const failure = catching(() => planModel('openai/m', { OPENAI_BASE_URL: 'x' }, { ...catalogue, providers }));
  expect(String(failure)).toMatch(/Set it to one like http:\/\/127\.0\.0\.1:9\/v1\.$/);
});

function catching(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}

test('a name that may be misspelt is requested from a server that may have it, and where models.json has it', () => {
  const meant = 'anthropic/claude-sonnet-4-5';
  const gateway = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
  expect(planModel('claude-sonet-4-5', gateway, catalogue)).toMatchObject({ name: 'claude-sonet-4-5', meant });
  const models = new Map([...catalogue.models, ['anthropic/claude-sonet-4-5', {}]]);
  expect(planModel('claude-sonet-4-5', anthropic, { ...catalogue, models })).not.toHaveProperty('meant');
});
