// The tools, resources and prompts of the conformance suite's example server, as a program serves them with Helve. Their
// names, inputs and results are what the suite asks for; protocol, transport and checks are Helve's.
import { defineTool, type Tool, type ToolContext, ToolFailure, type ToolProgress } from '../../src/index.js';
import {
  createMcpOffer,
  type McpBlock,
  type McpClientPort,
  type McpInputRequest,
  type McpOffer,
  type McpPrompt,
  type McpResource,
  type McpResult,
  type McpService,
  serveMcpOverHttp,
} from '../../src/sdk/mcp.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const text = (words: string): McpBlock => ({ type: 'text', text: words });
const image: McpBlock = { type: 'image', data: PNG, mimeType: 'image/png' };

/** Serves it on a port of this machine, for the project in `root`. */
export async function serveSuiteTools(place: { root: string; dataFolder: string; token: string }): Promise<McpService> {
  const offer = createMcpOffer({ prompts, resources });
  return await serveMcpOverHttp({ ...place, name: 'suite', version: '1', tools: tools(offer), offer });
}

type Run = (input: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<McpResult>;

function tool(name: string, run: Run, inputJsonSchema: Readonly<Record<string, unknown>> = { type: 'object' }): Tool {
  return defineTool<Readonly<Record<string, unknown>>, McpResult>({
    name,
    description: `Does what the conformance suite expects of ${name}.`,
    inputJsonSchema,
    effects: () => [],
    execute: run,
    toModel: () => 'See the content for MCP clients.',
    toMcp: (result) => result,
  });
}

const answering =
  (...content: McpBlock[]): Run =>
  async () => ({ content });

function clientOf({ session: { mcpClient } }: ToolContext): McpClientPort {
  if (mcpClient) return mcpClient;
  throw new ToolFailure('There is no MCP client here.', { advice: 'Serve this tool over MCP.', kind: 'exception' });
}

/** A tool that sends these requests, and answers with the answers. */
function asking(requests: Readonly<Record<string, McpInputRequest>>): Run {
  return async (_, context) => {
    const answers = await clientOf(context).request(requests, context.signal);
    return { content: [text(`state-ok ${JSON.stringify(answers)}`)] };
  };
}

const form = (message: string, properties: object, required: readonly string[] = []): McpInputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
});
const sampling = (words: string): McpInputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens: 100 },
});
const name = form('What is your name?', { name: { type: 'string' } }, ['name']);
const confirm = form('Please confirm', { ok: { type: 'boolean' } }, ['ok']);
const roots: McpInputRequest = { method: 'roots/list', params: {} };

const choices = (...values: string[]) => values.map((value, index) => ({ const: value, title: `Choice ${index + 1}` }));

const withDefaults = form('Please review', {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
});

const withEnums = form('Please choose', {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: choices('value1', 'value2', 'value3') },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: { type: 'array', items: { anyOf: choices('value1', 'value2', 'value3') } },
});

const schemaOf2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

function tools(offer: McpOffer): Tool[] {
  const late = Array.from({ length: 9 }, (_, index) => ({
    ...tool(`late_tool_${index}`, answering(text('late'))),
    exposure: 'deferred' as const,
  }));
  return [
    ...late,
    tool('test_simple_text', answering(text('This is a simple text response for testing.'))),
    tool('test_image_content', answering(image)),
    tool('test_audio_content', answering({ type: 'audio', data: WAV, mimeType: 'audio/wav' })),
    tool('test_embedded_resource', answering(embedded('test://embedded-resource', 'An embedded resource.'))),
    tool(
      'test_multiple_content_types',
      answering(text('Several types:'), image, embedded('test://mixed-content-resource', '{"test":"data"}')),
    ),
    tool('test_error_handling', async () => {
      throw new Error('This tool intentionally returns an error for testing');
    }),
    withProgress,
    tool(
      'test_sampling',
      async ({ prompt }, context) => await asking({ sample: sampling(String(prompt)) })({}, context),
    ),
    tool('test_elicitation', async ({ message }, context) => {
      const fields = { username: { type: 'string' }, email: { type: 'string' } };
      return await asking({ user: form(String(message), fields, ['username', 'email']) })({}, context);
    }),
    tool('test_elicitation_sep1034_defaults', asking({ review: withDefaults })),
    tool('test_elicitation_sep1330_enums', asking({ choice: withEnums })),
    tool('json_schema_2020_12_tool', answering(text('done')), schemaOf2020),
    tool('test_missing_capability', asking({ sample: sampling('Anything.') })),
    tool('test_streaming_elicitation', asking({ confirm })),
    tool('test_logging_tool', answering(text('done'))),
    tool('test_trigger_tool_change', async (_, { session }) => {
      const [next] = session.tools.deferred().filter((each) => each.name.startsWith('late_tool_'));
      if (next) session.tools.activate([next.name]);
      return { content: [text('done')] };
    }),
    tool('test_trigger_prompt_change', async () => {
      offer.prompts = offer.prompts.length === prompts.length ? [...prompts, latePrompt] : prompts;
      return { content: [text('done')] };
    }),
    tool('test_input_required_result_elicitation', asking({ user_name: name })),
    tool(
      'test_input_required_result_sampling',
      asking({ capital_question: sampling('What is the capital of France?') }),
    ),
    tool('test_input_required_result_list_roots', asking({ client_roots: roots })),
    tool('test_input_required_result_request_state', asking({ confirm })),
    tool('test_input_required_result_tampered_state', asking({ confirm })),
    tool(
      'test_input_required_result_multiple_inputs',
      asking({ user_name: name, greeting: sampling('Generate a greeting'), client_roots: roots }),
    ),
    tool('test_input_required_result_multi_round', async (input, context) => {
      await asking({ step1: name })(input, context);
      const color = form('What is your favorite color?', { color: { type: 'string' } }, ['color']);
      return await asking({ step2: color })(input, context);
    }),
    tool('test_input_required_result_capabilities', async (input, context) => {
      const client = clientOf(context);
      const requests = { user_name: name, greeting: sampling('Generate a greeting') };
      const supported = Object.entries(requests).filter(([, { method }]) => client.supports(method));
      return await asking(Object.fromEntries(supported))(input, context);
    }),
  ];
}

const withProgress = defineTool<object, McpResult>({
  name: 'test_tool_with_progress',
  description: 'Reports progress.',
  inputJsonSchema: { type: 'object' },
  effects: () => [],
  async *execute(): AsyncGenerator<ToolProgress, McpResult, void> {
    for (const each of ['0', '50', '100']) {
      yield { text: each };
      await new Promise((done) => setImmediate(done));
    }
    return {};
  },
  toModel: () => 'done',
});

const embedded = (uri: string, words: string): McpBlock => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: words },
});

const resources: McpResource[] = [
  {
    uri: 'test://static-text',
    name: 'Static text',
    description: 'A text.',
    mimeType: 'text/plain',
    read: (uri) => [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  },
  {
    uri: 'test://static-binary',
    name: 'Static image',
    description: 'An image.',
    mimeType: 'image/png',
    read: (uri) => [{ uri, mimeType: 'image/png', blob: PNG }],
  },
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'Data by id',
    description: 'Data.',
    read: (uri, _, { id }) => [{ uri, mimeType: 'application/json', text: JSON.stringify({ id }) }],
  },
  {
    uri: 'test://watched-resource',
    name: 'Watched',
    description: 'It may change.',
    mimeType: 'text/plain',
    read: (uri) => [{ uri, mimeType: 'text/plain', text: 'unchanged' }],
  },
];

const saying = (...content: McpBlock[]): ReturnType<McpPrompt['get']> => ({
  messages: content.map((each) => ({ role: 'user', content: each })),
});

const prompts: McpPrompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'Simple.',
    get: () => saying(text('This is a simple prompt for testing.')),
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'With arguments.',
    arguments: ['arg1', 'arg2'].map((each) => ({
      name: each,
      description: each,
      required: true,
      complete: (begun: string) => ['test', 'paris', 'party'].filter((value) => value.startsWith(begun)),
    })),
    get: ({ arg1, arg2 }) => saying(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'With a resource.',
    arguments: [{ name: 'resourceUri', required: true }],
    get: ({ resourceUri = '' }) => saying(embedded(resourceUri, 'Embedded.'), text('Please process it.')),
  },
  {
    name: 'test_prompt_with_image',
    description: 'With an image.',
    get: () => saying(image, text('Please analyze it.')),
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'Asks for its context.',
    async get(_, { client, signal }) {
      const question = form('What context should the prompt use?', { context: { type: 'string' } }, ['context']);
      const answers = await client.request({ user_context: question }, signal);
      return saying(text(JSON.stringify(answers)));
    },
  },
];

const latePrompt: McpPrompt = { name: 'late_prompt', description: 'Added later.', get: () => saying(text('late')) };
