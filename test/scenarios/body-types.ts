import { typeErrors, vendorSdk } from '../vendor-types.js';

/** The body of a request, and the name of the format that it has. */
export interface TypedBody {
  wire: string;
  body: Record<string, unknown>;
}

interface BodyType {
  /** A type of the vendor's client, with the modules that are named in it. */
  type: string;
}

const messages = "import('@anthropic-ai/sdk').Anthropic.MessageCreateParamsStreaming";
const chat = "import('openai').OpenAI.ChatCompletionCreateParamsStreaming";
// DeepSeek and others take the thinking back in a field that OpenAI does not have.
const chatWithReasoning = `Omit<${chat}, 'messages'> & { messages: (import('openai').OpenAI.ChatCompletionMessageParam
    | (import('openai').OpenAI.ChatCompletionAssistantMessageParam & { reasoning_content: string }))[] }`;
const responses = "import('openai').OpenAI.Responses.ResponseCreateParamsStreaming";
const gemini = {
  // Its client takes the fields of `generationConfig` and the others as one object, and sends them apart.
  type: `{ contents: Plain<import('@google/genai').Content[]>; systemInstruction: Plain<import('@google/genai').Content>;
    tools: Plain<import('@google/genai').Tool[]>; generationConfig?: Plain<import('@google/genai').GenerationConfig> }`,
};

/** By the names in `wire-formats.ts`. The clients of clouds put these types behind other addresses. */
export const bodyTypes: Readonly<Record<string, BodyType>> = {
  'Anthropic Messages': { type: messages },
  'Chat Completions': { type: chatWithReasoning },
  'OpenAI Responses': { type: responses },
  Gemini: gemini,
  'Amazon Bedrock': { type: `Omit<${messages}, 'model' | 'stream'> & { anthropic_version: 'bedrock-2023-05-31' }` },
  'Vertex AI': { type: `Omit<${messages}, 'model'> & { anthropic_version: 'vertex-2023-10-16' }` },
  'Gemini on Vertex AI': gemini,
  'Azure OpenAI': { type: responses },
  'Azure OpenAI with a dated version of its API': { type: chat },
};

const clients = ['@anthropic-ai/sdk', 'openai', '@google/genai'];

/** What TypeScript says of these bodies as values of their types. */
export async function typeProblems(bodies: readonly TypedBody[]): Promise<string> {
  const program = [
    '// Enumerations are plain texts on the wire.',
    `type Plain<T> = T extends string ? \`\${T}\` : T extends (infer I)[] ? Plain<I>[]`,
    '  : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;',
    ...bodies.map(
      ({ wire, body }, index) =>
        `export const body${index}: ${bodyTypes[wire]?.type} = ${JSON.stringify(body, undefined, 1)}; // ${wire}`,
    ),
  ];
  return await typeErrors(program.join('\n'), clients);
}

/** Why the types of the clients can't be read. */
export const missingClient = (): string | undefined => clients.map(vendorSdk).find(({ isThere }) => !isThere)?.missing;
