// The parameters of a tool for typed calls, read from its JSON Schema.
import type { JsonSchema } from '../../contract/model.js';
import { isObject } from '../../platform/is-object.js';
import type { ConsoleTool } from '../contract.js';

export type FieldKind = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

export interface InputField {
  name: string;
  description: string;
  kinds: readonly FieldKind[];
  /** The allowed values, if there are few. */
  values: readonly string[];
  isRequired: boolean;
  /** The kinds of a list's elements. */
  element: readonly FieldKind[];
}

const kindNames: readonly FieldKind[] = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

export function fieldsOf({ inputSchema }: Pick<ConsoleTool, 'inputSchema'>): InputField[] {
  const { properties, required } = inputSchema;
  const names = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const choices = choicesOf(isObject(schema) ? schema : {});
    return {
      name,
      description: textOf(schema, 'description'),
      kinds: kindsOf(choices),
      values: choices.flatMap(valuesOf),
      isRequired: names.includes(name),
      element: kindsOf(choices.flatMap(({ items }) => (isObject(items) ? choicesOf(items) : []))),
    };
  });
}

/** Parameters that can be given without a name: required strings, then the path. */
export function positionalsOf(fields: readonly InputField[]): InputField[] {
  const required = fields.filter(({ isRequired, kinds }) => isRequired && kinds.includes('string'));
  const place = fields.find(
    ({ name, isRequired, kinds }) => name === 'path' && !isRequired && kinds.includes('string'),
  );
  return [...required, ...(place && required.length < 2 ? [place] : [])];
}

/** A shell command: the rest of the line is its text, with its own quotes and options. */
export const takesRest = (field: InputField | undefined): boolean => field?.name === 'command';

export const isPath = ({ name, kinds }: InputField): boolean =>
  kinds.includes('string') && /(?:^|_)(?:path|file|dir|directory|folder|cwd)(?:$|_)/i.test(name);

/** `--output-mode` for `output_mode`, `-i` for `-i`. */
export const optionOf = ({ name }: Pick<InputField, 'name'>): string =>
  name.startsWith('-') ? name : `--${name.replaceAll('_', '-')}`;

export function fieldFor(option: string, fields: readonly InputField[]): InputField | undefined {
  const wanted = option.replace(/^--/, '').replaceAll('_', '-').toLowerCase();
  return fields.find(
    (field) => field.name === option || (!option.startsWith('---') && optionOf(field).toLowerCase() === `--${wanted}`),
  );
}

/** How to type a call, in one line. */
export function usageOf(tool: Pick<ConsoleTool, 'name' | 'inputSchema'>): string {
  const fields = fieldsOf(tool);
  const positionals = positionalsOf(fields);
  const isLine = takesRest(positionals[0]);
  const words = positionals.map((field) => {
    const word = `${field.name.toUpperCase().replaceAll('_', '-')}${takesRest(field) ? '…' : ''}`;
    return field.isRequired ? word : `[${word}]`;
  });
  const options = fields
    .filter((field) => !positionals.includes(field))
    .map((field) => {
      const text = [optionOf(field), valueWord(field)].filter(Boolean).join(' ');
      return field.isRequired ? text : `[${text}]`;
    });
  return [tool.name, ...(isLine ? [...options, ...words] : [...words, ...options])].join(' ');
}

function valueWord({ kinds, values }: InputField): string {
  if (values.length > 0 && values.length <= 6) return values.join('|');
  if (kinds.includes('string')) return 'TEXT';
  if (kinds.includes('number') || kinds.includes('integer')) return 'N';
  if (kinds.includes('array') || kinds.includes('object')) return 'JSON';
  return kinds.includes('boolean') ? '' : 'JSON';
}

/** The schema, or its alternatives. */
function choicesOf(schema: JsonSchema): JsonSchema[] {
  const several = [schema['anyOf'], schema['oneOf']].find(Array.isArray);
  return several ? several.filter(isObject).flatMap(choicesOf) : [schema];
}

function kindsOf(choices: readonly JsonSchema[]): FieldKind[] {
  const named = choices.flatMap((schema) => {
    if (schema['type'] !== undefined) return [schema['type']].flat();
    return valuesIn(schema).map((value) => typeof value);
  });
  return [...new Set(named)].flatMap((name) => kindNames.filter((known) => known === name));
}

const valuesIn = (schema: JsonSchema): unknown[] =>
  'const' in schema ? [schema['const']] : Array.isArray(schema['enum']) ? schema['enum'] : [];

const valuesOf = (schema: JsonSchema): string[] => valuesIn(schema).filter((value) => typeof value === 'string');

function textOf(schema: unknown, name: string): string {
  const value = isObject(schema) ? schema[name] : undefined;
  return typeof value === 'string' ? value : '';
}
