import type { ModelRequest, ToolDefinition } from '../../../contract/model.js';
import type { LevelledSchema } from '../tool-schema.js';
import type { Quirks } from './quirks.js';

export interface ValidCallOptions {
  /** Whether the request has tools; else they are described in its prompt. */
  hasTools: boolean;
  validCall: Quirks['validCall'];
  schemaOf(tools: readonly ToolDefinition[], name: string): LevelledSchema | undefined;
}

/** The fields by which a server is made to answer with a valid call of the expected tool. Undefined if there are none. */
export function validCallFields(
  { tools, expectedCall }: ModelRequest,
  { hasTools, validCall, schemaOf }: ValidCallOptions,
): Record<string, unknown> | undefined {
  if (validCall === undefined || expectedCall === undefined) return undefined;
  const tool = tools.find(({ name }) => name === expectedCall);
  if (!tool) return undefined;
  if (hasTools && validCall === 'named') return { tool_choice: { type: 'function', function: { name: expectedCall } } };
  if (hasTools && validCall === 'required') return { tool_choice: 'required' };
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', enum: [expectedCall] },
      arguments: schemaOf(tools, expectedCall)?.schema ?? tool.input_schema,
    },
    required: ['name', 'arguments'],
    additionalProperties: false,
  };
  return { response_format: { type: 'json_schema', json_schema: { name: 'call', schema } } };
}
