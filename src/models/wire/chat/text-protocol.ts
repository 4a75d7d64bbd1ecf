import type { AssistantBlock, ContentBlock, Message, UserBlock } from '../../../contract/message.js';
import type { JsonSchema, ModelRequest, ToolDefinition } from '../../../contract/model.js';
import { wellFormedJson } from '../well-formed-json.js';
import { writtenOnce } from '../written-once.js';
import { OPENING as CALL, CLOSING as CALL_END } from './text-calls/hermes.js';

/** The form of a tool that the server gets: its schema, and the input of a call in the names of that schema. */
export interface WireTool {
  schema: JsonSchema;
  toWire(input: unknown): unknown;
}

/**
 * Writes requests for servers that have no tools: they are described in the system prompt, and calls and results are
 * text, in the form of Hermes, which `text-calls/` reads. Each message is converted once, so that its bytes stay.
 */
export function textProtocol(
  toolOf: (tools: readonly ToolDefinition[], name: string) => WireTool | undefined,
): (request: ModelRequest) => ModelRequest {
  const toolTexts = new WeakMap<readonly ToolDefinition[], string>();
  const converted = new WeakMap<Message, Message>();
  return (request) => {
    const { system, tools, messages } = request;
    const instructions = tools.length === 0 ? [] : [writtenOnce(toolTexts, tools, () => describe(tools, toolOf))];
    return {
      ...request,
      system: [...system, ...instructions],
      tools: [],
      messages: messages.map((message, at) =>
        writtenOnce(converted, message, () =>
          message.role === 'assistant'
            ? { ...message, content: withCallsAsText(message.content, (name) => toolOf(tools, name)) }
            : { ...message, content: withResultsAsText(message.content, messages[at - 1]) },
        ),
      ),
    };
  };
}

function describe(
  tools: readonly ToolDefinition[],
  toolOf: (tools: readonly ToolDefinition[], name: string) => WireTool | undefined,
): string {
  const lines = tools.map(({ name, description, input_schema }) =>
    wellFormedJson({ name, description, parameters: toolOf(tools, name)?.schema ?? input_schema }),
  );
  return `# Tools

You can call these tools. Each line describes one, with a JSON Schema of its parameters:

<tools>
${lines.join('\n')}
</tools>

To call a tool, end your answer with a block like this, with the name of the tool and its arguments as JSON:

${CALL}
{"name": "NAME", "arguments": {"PARAMETER": "VALUE"}}
${CALL_END}

Write one block for each call, and nothing after the last one. You then get each result in a <tool_response> block; never write such a block yourself.`;
}

function withCallsAsText(
  content: readonly AssistantBlock[],
  toolOf: (name: string) => WireTool | undefined,
): AssistantBlock[] {
  const others = content.filter((block) => block.type !== 'text' && block.type !== 'tool_use');
  const texts = content.flatMap((block) => {
    if (block.type === 'text') return [block.text.trimEnd()];
    if (block.type !== 'tool_use') return [];
    const { name, input } = block;
    return [`${CALL}\n${wellFormedJson({ name, arguments: toolOf(name)?.toWire(input) ?? input })}\n${CALL_END}`];
  });
  const text = texts.filter((each) => each !== '').join('\n');
  return text === '' ? others : [...others, { type: 'text', text }];
}

function withResultsAsText(content: readonly UserBlock[], before: Message | undefined): UserBlock[] {
  const calls = before?.role === 'assistant' ? before.content.filter((block) => block.type === 'tool_use') : [];
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  return content.flatMap((block): ContentBlock[] => {
    if (block.type !== 'tool_result') return [block];
    const blocks: readonly ContentBlock[] =
      typeof block.content === 'string' ? [{ type: 'text', text: block.content }] : block.content;
    const text = blocks.flatMap((each) => (each.type === 'text' ? [each.text] : [])).join('\n') || '(no output)';
    const head = `<tool_response name="${names.get(block.tool_use_id) ?? ''}"${block.is_error ? ' error="true"' : ''}>`;
    const images = blocks.filter((each) => each.type === 'image');
    return [{ type: 'text', text: `${head}\n${withoutTags(text)}\n${RESULT_END}` }, ...images];
  });
}

const RESULT_END = '</tool_response>';

/** A result must not be able to end its block. */
const withoutTags = (text: string): string => text.replaceAll(/<(?=\/?tool_response)/gi, '‹');
