import {
  anything,
  callback,
  flag,
  isZodSchema,
  isZodShape,
  type Kind,
  oneOf,
  positiveCount,
  shown,
  text,
} from '../compose/option-kinds.js';
import * as contract from '../contract/tool.js';
import { isObject } from '../platform/is-object.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { jsonSchemaFormProblem } from './json-schema-form.js';

const parts: Readonly<Record<keyof contract.ToolSpec<unknown, unknown>, Kind>> = {
  name: anything, // these have their own error messages
  title: text,
  about: text,
  description: anything,
  input: anything,
  inputJsonSchema: anything,
  exposure: oneOf(['direct', 'deferred', 'hidden']),
  maxResultChars: positiveCount,
  maxCharsOf: callback,
  optIn: flag,
  needsPerson: flag,
  needsSetting: text,
  needsTool: text,
  lists: oneOf(['skills', 'commands']),
  isEnabled: anything,
  preload: callback,
  effects: anything,
  validate: callback,
  execute: anything,
  toModel: anything,
  toHooks: callback,
  toMcp: callback,
  outputJsonSchema: anything,
  displayCall: callback,
  displayResult: callback,
  displayRefusal: callback,
};

/** Names that other agents and SDKs use for the same part. */
const otherNames: Readonly<Record<string, string>> = {
  inputSchema: 'input, with a zod schema, or inputJsonSchema',
  outputSchema: 'outputJsonSchema',
  parameters: 'input, with a zod schema, or inputJsonSchema',
  schema: 'input, with a zod schema, or inputJsonSchema',
  run: 'execute',
  call: 'execute',
  handler: 'execute',
  prompt: 'description',
  userFacingName: 'title',
  maxResultSizeChars: 'maxResultChars',
  validateInput: 'validate',
  isReadOnly: 'effects',
  isConcurrencySafe: 'effects',
  needsPermissions: 'effects',
  checkPermissions: 'effects',
};

/** Creates a tool from its description, with safe defaults: unknown effects, direct exposure, a bounded result. */
export function defineTool<Input, Data>(spec: contract.ToolSpec<Input, Data>): contract.Tool {
  if (typeof spec !== 'object' || spec === null) {
    throw new TypeError('defineTool takes an object with the name, the description and the parts of a tool.');
  }
  for (const [key, value] of Object.entries(spec)) {
    if (value === undefined) continue;
    const kind = Object.hasOwn(parts, key) ? parts[key as keyof typeof parts] : undefined; // a key of it, as checked
    const problem = kind?.problem(value, `"${key}" of the tool ${String(spec.name)}`);
    if (problem !== undefined) throw new TypeError(problem);
    if (kind) continue;
    if (isZodShape(value)) {
      throw new TypeError(
        `"${key}" of the tool ${String(spec.name)} is a plain object of zod schemas. Wrap it: input: z.object({ … }).`,
      );
    }
    const meant = Object.hasOwn(otherNames, key) ? otherNames[key] : nearestWords(key, Object.keys(parts))[0];
    const advice = meant === undefined ? `It has: ${Object.keys(parts).join(', ')}.` : `Did you mean ${meant}?`;
    throw new TypeError(`The tool ${String(spec.name)} has "${key}", which is not a part of a tool. ${advice}`);
  }
  const { name, effects, execute }: Readonly<Record<string, unknown>> = { ...spec };
  if (typeof name !== 'string' || name === '') throw new TypeError('A tool needs a "name": a text that is not empty.');
  if (effects !== undefined && typeof effects !== 'function') {
    throw new TypeError(`The "effects" of the tool ${name} must be a function of its input that returns a list.`);
  }
  if (typeof execute !== 'function') throw new TypeError(`The tool ${name} needs "execute", a function.`);
  checkInput(name, spec.input, spec.inputJsonSchema);
  checkOutput(name, spec.outputJsonSchema);
  const tool = contract.defineTool(spec);
  void tool.inputSchema; // made here, so that a schema that can't be sent to a model is refused here
  return tool;
}

function checkInput(tool: string, input: unknown, inputJsonSchema: unknown): void {
  if (input !== undefined) {
    if (isZodShape(input)) throw new TypeError(shapeProblem('input', tool));
    if (!isZodSchema(input)) {
      throw new TypeError(`input of the tool ${tool} is not a zod schema. Give a JSON Schema as inputJsonSchema.`);
    }
  }
  if (inputJsonSchema === undefined) return;
  if (isZodShape(inputJsonSchema)) throw new TypeError(shapeProblem('inputJsonSchema', tool));
  if (isZodSchema(inputJsonSchema)) {
    throw new TypeError(`inputJsonSchema of the tool ${tool} is a zod schema. Give it as input.`);
  }
  if (!isObject(inputJsonSchema)) {
    throw new TypeError(`inputJsonSchema of the tool ${tool} must be an object, but was ${shown(inputJsonSchema)}.`);
  }
  const problem = jsonSchemaFormProblem(inputJsonSchema);
  if (problem !== undefined) {
    throw new TypeError(
      `inputJsonSchema of the tool ${tool} is not a valid JSON Schema: ${problem}. Correct it there.`,
    );
  }
  if ('type' in inputJsonSchema && inputJsonSchema.type !== undefined && inputJsonSchema.type !== 'object') {
    throw new TypeError(
      `inputJsonSchema of the tool ${tool} must describe an object, but its "type" is ${JSON.stringify(inputJsonSchema.type)}. Wrap your schema in an object with one field.`,
    );
  }
}

function checkOutput(tool: string, schema: unknown): void {
  if (schema === undefined) return;
  if (!isObject(schema) || isZodSchema(schema)) {
    throw new TypeError(`outputJsonSchema of the tool ${tool} must be a JSON Schema, but was ${shown(schema)}.`);
  }
  const problem = jsonSchemaFormProblem(schema);
  if (problem === undefined) return;
  throw new TypeError(`outputJsonSchema of the tool ${tool} is not a valid JSON Schema: ${problem}. Correct it there.`);
}

const shapeProblem = (part: string, tool: string): string =>
  `${part} of the tool ${tool} is a plain object of zod schemas. Wrap it: z.object({ … })${part === 'input' ? '' : ', as input'}.`;
