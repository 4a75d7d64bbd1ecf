import type { Model } from '../../src/contract/model.js';
import { chooseModel } from '../../src/models/catalogue/choose-model.js';
import { anthropicModel } from '../../src/models/wire/anthropic/anthropic.js';
import { openAiCompatibleModel } from '../../src/models/wire/chat/openai-compatible.js';
import { geminiModel } from '../../src/models/wire/gemini/gemini.js';
import { openAiResponsesModel } from '../../src/models/wire/responses/openai-responses.js';
import { anthropicFormat } from '../../src/testing/anthropic-format.js';
import { bedrockFormat, fakeAwsKeys } from '../../src/testing/bedrock-format.js';
import { chatFormat } from '../../src/testing/chat-format.js';
import { geminiFormat } from '../../src/testing/gemini-format.js';
import { responsesFormat } from '../../src/testing/responses-format.js';
import { vertexFormat } from '../../src/testing/vertex-format.js';
import type { WireFormat } from '../../src/testing/wire-format.js';

interface Wire {
  name: string;
  format: WireFormat;
  modelAt(baseUrl: string): Model | Promise<Model>;
}

/** Every wire format: the adapter that speaks it, and the fake server's side of it. */
export const wires: readonly Wire[] = [
  {
    name: 'Anthropic Messages',
    format: anthropicFormat,
    modelAt: (baseUrl) => anthropicModel({ name: 'test', apiKey: 'test-key', baseUrl }),
  },
  {
    name: 'Chat Completions',
    format: chatFormat,
    modelAt: (baseUrl) => openAiCompatibleModel({ provider: 'test', name: 'test', apiKey: 'test-key', baseUrl }),
  },
  {
    name: 'OpenAI Responses',
    format: responsesFormat,
    modelAt: (baseUrl) => openAiResponsesModel({ name: 'test', apiKey: 'test-key', baseUrl }),
  },
  {
    name: 'Gemini',
    format: geminiFormat,
    modelAt: (baseUrl) => geminiModel({ name: 'test', apiKey: 'test-key', baseUrl }),
  },
  {
    name: 'Amazon Bedrock',
    format: bedrockFormat,
    modelAt: (url) =>
      inCloud('bedrock/eu.anthropic.claude-test-v1:0', {
        ...fakeAwsKeys,
        AWS_REGION: 'eu-west-1',
        ANTHROPIC_BEDROCK_BASE_URL: url,
      }),
  },
];

const azure = { AZURE_OPENAI_API_KEY: 'test-key' };

/** Clouds that have other addresses and keys, and one of the formats above. */
export const otherAddresses: readonly Wire[] = [
  {
    name: 'Vertex AI',
    format: vertexFormat,
    modelAt: (url) =>
      inCloud('vertex/claude-test@20261001', {
        CLOUDSDK_AUTH_ACCESS_TOKEN: 'test-token',
        GOOGLE_CLOUD_PROJECT: 'test-project',
        ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`,
      }),
  },
  {
    name: 'Gemini on Vertex AI',
    format: geminiFormat,
    modelAt: (url) =>
      inCloud('vertex/gemini-3.8-flash', {
        CLOUDSDK_AUTH_ACCESS_TOKEN: 'test-token',
        GOOGLE_CLOUD_PROJECT: 'test-project',
        ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`,
      }),
  },
  {
    name: 'Azure OpenAI',
    format: responsesFormat,
    modelAt: (url) => inCloud('azure/my-deployment', { ...azure, AZURE_OPENAI_ENDPOINT: url }),
  },
  {
    name: 'Azure OpenAI with a dated version of its API',
    format: chatFormat,
    modelAt: (url) =>
      inCloud('azure/my-deployment', {
        ...azure,
        AZURE_OPENAI_ENDPOINT: `${url}/`,
        AZURE_OPENAI_API_VERSION: '2024-10-21',
      }),
  },
];

const inCloud = (name: string, env: Record<string, string>): Promise<Model> =>
  chooseModel(name, { HELVE_HOME: '/nonexistent', HOME: '/nonexistent', ...env });
