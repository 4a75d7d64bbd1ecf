// A server's question to the user. Without a user, or with an answer that does not fit, it is declined and the server
// continues.
import type { Answer, AskUser, Question } from '../../contract/question.js';
import { isObject } from '../../platform/is-object.js';
import { jsonSchemaIssues } from '../../platform/json-schema.js';
import { plainLine, plainText } from '../../platform/text/plain-text.js';

const MAX_MESSAGE_CHARS = 2_000;
const MAX_FIELDS = 20;

export interface ElicitAnswer {
  [field: string]: unknown;
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]>;
}

const ANSWER = 'Answer';
const DECLINE = 'Decline';
const declined: ElicitAnswer = { action: 'decline' };

/** Shows a server's question to the user, with the server's name. */
export async function elicit(
  server: string,
  params: Readonly<Record<string, unknown>>,
  askUser: AskUser | undefined,
  signal: AbortSignal,
): Promise<ElicitAnswer> {
  if (!askUser) return declined;
  const header = plainLine(server, 30);
  const message = plainText(String(params['message'] ?? ''), MAX_MESSAGE_CHARS);
  const { url, requestedSchema } = params;
  const isLink = params['mode'] === 'url';
  const schema = isObject(requestedSchema) ? requestedSchema : {};
  const fields = isLink ? [] : fieldsOf(schema).slice(0, MAX_FIELDS);
  const asked = isLink ? `${message}\nIt asks you to open ${plainText(String(url), MAX_MESSAGE_CHARS)}` : message;
  const consent: Question = {
    header,
    question: `The MCP server ${header} asks: ${asked}`,
    options: [
      { label: ANSWER, description: isLink ? 'You have opened it' : 'Your next answers are sent to the server' },
      { label: DECLINE, description: 'The server learns that you do not want to answer' },
    ],
  };
  try {
    const [first, ...rest] = await askUser([consent, ...fields.map((field) => questionOf(field, header))], signal);
    if (!first?.chosen.includes(ANSWER)) return declined;
    const content: NonNullable<ElicitAnswer['content']> = {};
    fields.forEach((field, index) => {
      const value = saidBy(field, rest[index]) ?? defaultOf(field);
      if (value !== undefined) content[field.name] = value;
    });
    if (isLink) return { action: 'accept' };
    const issues = await jsonSchemaIssues(schema, content);
    return issues.length > 0 ? declined : { action: 'accept', content };
  } catch {
    return { action: 'cancel' }; // the question was withdrawn
  }
}

interface Field {
  name: string;
  schema: Readonly<Record<string, unknown>>;
}

function fieldsOf({ properties }: Readonly<Record<string, unknown>>): Field[] {
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) => (isObject(schema) ? [{ name, schema }] : []));
}

function questionOf({ name, schema }: Field, header: string): Question {
  const title = plainLine(String(schema['title'] ?? name), 200);
  const about = schema['description'] === undefined ? '' : `: ${plainText(String(schema['description']), 500)}`;
  const otherwise = defaultOf({ name, schema });
  const unsaid = otherwise === undefined ? '' : ` (left empty: ${plainText(String(otherwise), 200)})`;
  return {
    header,
    question: `${title}${about}${unsaid}`,
    options: choicesOf(schema).map(({ value, title = '' }) => ({
      label: plainLine(value, 100),
      description: plainLine(title, 200),
    })),
    multiSelect: schema['type'] === 'array',
  };
}

/** The allowed values of a field, with the labels that users see. */
function choicesOf(schema: Readonly<Record<string, unknown>>): Array<{ value: string; title?: string }> {
  if (schema['type'] === 'boolean') return [{ value: 'Yes' }, { value: 'No' }];
  const { items } = schema;
  const choices = isObject(items) ? items : schema;
  const titled = choices['oneOf'] ?? choices['anyOf'];
  if (Array.isArray(titled)) {
    return titled.filter(isObject).map((one) => ({ value: String(one['const']), title: String(one['title'] ?? '') }));
  }
  return Array.isArray(choices['enum']) ? choices['enum'].map((value) => ({ value: String(value) })) : [];
}

/** The server's default for an empty field. */
function defaultOf({ schema }: Field): string | number | boolean | string[] | undefined {
  const { default: value } = schema;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

function saidBy({ schema }: Field, answer: Answer | undefined): string | number | boolean | string[] | undefined {
  if (!answer) return undefined;
  const { chosen, text } = answer;
  const said = text !== undefined && text !== '' ? text : chosen[0];
  switch (schema['type']) {
    case 'array':
      return chosen.length === 0 ? undefined : [...chosen];
    case 'boolean':
      return said === undefined ? undefined : /^(?:yes|true|y|1)$/i.test(said);
    case 'number':
    case 'integer':
      return said === undefined || said.trim() === '' ? undefined : Number(said);
    default:
      return said;
  }
}
