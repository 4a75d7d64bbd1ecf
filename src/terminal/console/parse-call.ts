// Parses a typed call of a tool: `Read src/a.ts --limit 20`, `Bash npm test`, `Edit {"file_path": …}`.
import { isObject } from '../../platform/is-object.js';
import { parseJson, readJson } from '../../platform/parse-json.js';
import { nearestWords, wordSimilarity } from '../../platform/text/similar-text.js';
import type { ConsoleTool } from '../contract.js';
import {
  type FieldKind,
  fieldFor,
  fieldsOf,
  type InputField,
  optionOf,
  positionalsOf,
  takesRest,
  usageOf,
} from './fields.js';
import { readWords, type Word } from './words.js';

const SLIP = 0.6; // below this, any word of a sentence resembles some tool's name

export type ParsedCall = { tool: string; input: Record<string, unknown> } | { problem: string };

/** Errors say how to type it correctly. Whether the values are valid is left to the tool's own check. */
export function parseCall(line: string, tools: readonly ConsoleTool[]): ParsedCall {
  const [, name = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*?)\s*$/.exec(line) ?? [];
  if (name === '') return { problem: 'There is nothing to call. Type the name of a tool, as in: help' };
  const tool = findTool(name, tools);
  if (!tool) return { problem: unknownTool(name, tools) };
  try {
    const input = rest.startsWith('{') ? inputFrom(rest) : readInput(rest, fieldsOf(tool));
    return { tool: tool.name, input };
  } catch (error) {
    if (!(error instanceof CallProblem)) throw error;
    return { problem: `${tool.name}: ${error.message}\nUsage: ${usageOf(tool)}` };
  }
}

/** It may be a typo; but most often the user is talking to a model that is not set up. */
function unknownTool(name: string, tools: readonly ConsoleTool[]): string {
  const names = tools.map((tool) => tool.name);
  const [nearest] = nearestWords(name, names).filter((one) => wordSimilarity(name, one) > SLIP);
  if (nearest !== undefined) return `There is no tool "${name}". Did you mean ${nearest}?`;
  return `There is no model that could answer, and no tool "${name}". /login signs in, /model chooses a model, /key stores a key; help lists the tools.`;
}

export const findTool = (name: string, tools: readonly ConsoleTool[]): ConsoleTool | undefined =>
  tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.name.toLowerCase() === name.toLowerCase());

class CallProblem extends Error {}

function inputFrom(json: string): Record<string, unknown> {
  const { value, problem } = readJson(json);
  if (problem !== undefined) throw new CallProblem(`the input is not valid JSON (${problem}).`);
  if (isObject(value)) return value;
  throw new CallProblem('the input must be an object in braces.');
}

function readInput(text: string, fields: readonly InputField[]): Record<string, unknown> {
  const { words, open } = readWords(text);
  const positionals = positionalsOf(fields);
  const isLine = takesRest(positionals[0]);
  const input: Record<string, unknown> = {};
  let filled = 0;
  let areOptionsOver = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (!word) break;
    if (!areOptionsOver && word.text === '--' && !word.isQuoted) {
      areOptionsOver = true;
      continue;
    }
    const option = areOptionsOver || !isOption(word) ? undefined : readOption(word, words[at + 1], fields);
    if (option) {
      put(input, option.field, option.value);
      at += option.taken;
      continue;
    }
    const field = positionals[filled];
    if (!field) throw tooMany(word, positionals);
    filled += 1;
    if (isLine) {
      input[field.name] = text.slice(word.start); // verbatim: its quotes are for the shell
      return input;
    }
    input[field.name] = valueIn(word.text, field, field.name);
  }
  if (open) throw new CallProblem(`a quote (${open}) is not closed.`);
  const missing = fields.filter(({ isRequired, name }) => isRequired && !(name in input));
  if (missing.length > 0)
    throw new CallProblem(
      `${missing.map(({ name }) => name).join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
    );
  return input;
}

/** A signed number is a value, not an option. */
const isOption = ({ text, isQuoted }: Word): boolean => !isQuoted && /^--?[A-Za-z]/.test(text);

function readOption(word: Word, next: Word | undefined, fields: readonly InputField[]) {
  const [, option = '', written] = /^([^=]*)(?:=([\s\S]*))?$/.exec(word.text) ?? [];
  const field = fieldFor(option, fields);
  const denied = field ? undefined : fieldFor(option.replace(/^--no-/, '--'), fields);
  if (denied?.kinds.includes('boolean') && written === undefined) return { field: denied, value: false, taken: 0 };
  if (!field) throw unknownOption(option, fields);
  if (written !== undefined) return { field, value: valueIn(written, field, option), taken: 0 };
  const isSwitch = field.kinds.includes('boolean');
  if (isSwitch && (!next || !/^(?:true|false)$/.test(next.text))) return { field, value: true, taken: 0 };
  if (!next) throw new CallProblem(`${option} needs a value.`);
  return { field, value: valueIn(next.text, field, option), taken: 1 };
}

/** Repeated options append to a list. */
function put(input: Record<string, unknown>, { name, kinds }: InputField, value: unknown): void {
  const before = input[name];
  const isList = kinds.includes('array') && Array.isArray(before);
  input[name] = isList ? [...before, ...(Array.isArray(value) ? value : [value])] : value;
}

function valueIn(text: string, field: InputField, label: string): unknown {
  const { kinds, values, element } = field;
  if (values.length > 0 && kinds.every((kind) => kind === 'string')) {
    const value = values.find((known) => known === text);
    if (value !== undefined) return value;
    const [nearest] = nearestWords(text, values);
    const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    throw new CallProblem(`${label} takes ${values.join(', ')}, but was "${text}".${meant}`);
  }
  if (kinds.includes('array') || kinds.includes('object')) {
    const json = parseJson(text);
    if ((Array.isArray(json) && kinds.includes('array')) || (isObject(json) && kinds.includes('object'))) return json;
  }
  const scalar = scalarOf(text, kinds);
  if (scalar !== undefined) return scalar;
  if (kinds.includes('array') && element.length > 0) {
    const one = scalarOf(text, element);
    if (one !== undefined) return [one];
  }
  if (kinds.length === 0) return parseJson(text) ?? text;
  throw new CallProblem(`${label} takes ${kinds.map((kind) => kindWords[kind]).join(' or ')}, but was "${text}".`);
}

function scalarOf(text: string, kinds: readonly FieldKind[]): string | number | boolean | undefined {
  if (kinds.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  const isNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  if (isNumber && (kinds.includes('number') || (kinds.includes('integer') && Number.isInteger(Number(text))))) {
    return Number(text);
  }
  return kinds.includes('string') ? text : undefined;
}

const kindWords: Readonly<Record<FieldKind, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list as JSON',
  object: 'an object as JSON',
};

function unknownOption(option: string, fields: readonly InputField[]): CallProblem {
  const known = fields.map(optionOf);
  const [nearest] = nearestWords(option, known);
  return new CallProblem(
    `there is no ${option}. ${nearest === undefined ? `There are: ${known.join(', ')}.` : `Did you mean ${nearest}?`}`,
  );
}

const tooMany = ({ text }: Word, positionals: readonly InputField[]): CallProblem =>
  new CallProblem(
    positionals.length === 0
      ? `"${text}" has no parameter name.`
      : `"${text}" is one word too many. Put quotes around words that belong together.`,
  );
