import type { Model } from '../../src/contract/model.js';
import { anthropicModel } from '../../src/models/wire/anthropic/anthropic.js';
import { openAiCompatibleModel } from '../../src/models/wire/chat/openai-compatible.js';
import { geminiModel } from '../../src/models/wire/gemini/gemini.js';
import { openAiResponsesModel } from '../../src/models/wire/responses/openai-responses.js';
import { anthropicFormat } from '../../src/testing/anthropic-format.js';
import { chatFormat } from '../../src/testing/chat-format.js';
import { geminiFormat } from '../../src/testing/gemini-format.js';
import { responsesFormat } from '../../src/testing/responses-format.js';
import type { WireFormat } from '../../src/testing/wire-format.js';

/** Every wire format: the adapter that speaks it, and the fake server's side of it. */
export const wires: ReadonlyArray<{ name: string; format: WireFormat; modelAt(baseUrl: string): Model }> = [
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
];
