import * as contract from '../contract/tool.js';
import { nearestWords } from '../platform/text/similar-text.js';

const parts: Readonly<Record<keyof contract.ToolSpec<unknown, unknown>, true>> = {
  name: true,
  title: true,
  description: true,
  input: true,
  inputJsonSchema: true,
  exposure: true,
  maxResultChars: true,
  optIn: true,
  needsPerson: true,
  needsSetting: true,
  lists: true,
  isEnabled: true,
  preload: true,
  effects: true,
  validate: true,
  execute: true,
  toModel: true,
  toHooks: true,
  displayCall: true,
  displayResult: true,
  displayRefusal: true,
};

/** Names that other agents and SDKs use for the same part. */
const otherNames: Readonly<Record<string, string>> = {
  inputSchema: 'input, with a zod schema, or inputJsonSchema',
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

/** Makes a tool of its description, with safe defaults: unknown effects, direct exposure, a bounded result. */
export function defineTool<Input, Data>(spec: contract.ToolSpec<Input, Data>): contract.Tool {
  if (typeof spec !== 'object' || spec === null) {
    throw new TypeError('defineTool takes an object with the name, the description and the parts of a tool.');
  }
  for (const [key, value] of Object.entries(spec)) {
    if (Object.hasOwn(parts, key) || value === undefined) continue;
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
  return contract.defineTool(spec);
}
