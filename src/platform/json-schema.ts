import type { Ajv, ErrorObject } from 'ajv';
import type { InputIssue } from '../contract/tool.js';
import { messageOf } from './message-of.js';

/**
 * Validates inputs against schemas that tools bring along. Such a schema may be of an older draft, use unknown
 * formats or patterns that JavaScript can't compile; an unusable schema accepts everything, since the tool's server
 * validates too.
 */
export async function jsonSchemaIssues(
  schema: Readonly<Record<string, unknown>>,
  input: unknown,
): Promise<readonly InputIssue[]> {
  const ajv = await compilerFor(schema);
  try {
    const validate = ajv.compile(schema);
    if (validate(input)) return [];
    return (validate.errors ?? []).map((error) => ({
      path: error.instancePath.slice(1).replaceAll('/', '.'),
      message: inWords(error),
      ...(error.keyword === 'additionalProperties' && { unknown: [String(error.params['additionalProperty'])] }),
    }));
  } catch {
    return [];
  }
}

const MAX_SHOWN_CHARS = 200;

/** The expected and the actual value, so that the caller can correct it at once. */
function inWords({ keyword, message = 'is not valid', params, data }: ErrorObject): string {
  if (keyword === 'additionalProperties') return `${message}: "${params['additionalProperty']}"`;
  if (keyword === 'required') return message;
  if (keyword === 'enum') return `must be one of ${listed(params['allowedValues'])}, but was ${shown(data)}`;
  if (keyword === 'const') return `must be ${shown(params['allowedValue'])}, but was ${shown(data)}`;
  const isPlain = typeof data !== 'object' || data === null;
  return isPlain ? `${message}, but was ${shown(data)}` : message;
}

const listed = (values: unknown): string => cut((Array.isArray(values) ? values : []).map(shown).join(', '));

const shown = (value: unknown): string => cut(JSON.stringify(value) ?? String(value));

const cut = (text: string): string => (text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text);

/** The problem with a schema that output must conform to; undefined if it is usable. */
export async function jsonSchemaProblem(schema: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  try {
    (await compilerFor(schema)).compile(schema);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

async function compilerFor(schema: Readonly<Record<string, unknown>>): Promise<Ajv> {
  const { boundedPattern } = await import('./bounded-pattern.js');
  // The name is for generated code that is written to a file, which does not apply here.
  const regExp = Object.assign((pattern: string, flags: string) => boundedPattern(pattern, flags), {
    code: 'boundedPattern',
  });
  const options = {
    strict: false,
    allErrors: true,
    verbose: true, // the message contains the actual value
    logger: false,
    validateFormats: false,
    code: { regExp },
  } as const;
  const dialect = typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  if (/draft-0[4-7]/.test(dialect)) return new (await import('./ajv-draft-7.js')).Ajv(options);
  return new (await import('./ajv-2020.js')).Ajv2020(options);
}
