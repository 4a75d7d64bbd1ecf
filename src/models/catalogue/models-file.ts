import * as z from 'zod';
import { efforts, ModelFailure, toolProfileNames } from '../../contract/model.js';
import { messageOf } from '../../platform/message-of.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import {
  type Catalogue,
  clouds,
  hostOf,
  isWebAddress,
  type KeySource,
  type Provider,
  textCallModes,
  wires,
} from './catalogue.js';

/** Headers that say where a request ends. */
const FRAMING = ['connection', 'content-length', 'transfer-encoding', 'trailer', 'upgrade', 'keep-alive', 'te'];

// The user's models.json: providers, models, short names and defaults that extend or replace the built-in ones. It
// names the variables that hold keys; it never holds a key itself.

const text = z.string('must be a text').trim().min(1, 'must not be empty');
const count = z.int('must be a whole number above 0').positive('must be a whole number above 0');
const price = z.number('must be a number of US dollars').nonnegative('must not be below 0');
const variable = /^[A-Za-z_]\w*$/;
const keyVariable = 'must be the name of the variable that holds the key, not the key itself';
const address = text.refine(isAddress, 'must be an address that begins with http:// or https:// and holds no password');
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^`|~\w-]+$/, 'must be a name of letters, digits and "-"')
  .refine((name) => !FRAMING.includes(name.toLowerCase()), 'is set by the connection itself, so leave it out');
const headerValue = text.regex(/^[\x20-\x7e]*$/, 'must be one line of ASCII characters');
const provider = z.strictObject(
  {
    title: text.optional(),
    wire: z.enum(wires, `must be ${wires.map((wire) => `"${wire}"`).join(' or ')}`).optional(),
    cloud: z.enum(clouds, `must be ${clouds.map((cloud) => `"${cloud}"`).join(' or ')}`).optional(),
    baseUrl: address.optional(),
    baseUrlVariable: text.regex(variable, 'must be the name of a variable').optional(),
    keys: z
      .array(z.string(keyVariable).trim().regex(variable, keyVariable), 'must be an array of names of variables')
      .optional(),
    keyCommand: z
      .array(text, 'must be an array of a program and its arguments')
      .min(1, 'must name a program')
      .optional(),
    defaultModel: text.optional(),
    aliases: z.record(z.string(), text, 'must be an object').optional(),
    headers: z.record(headerName, headerValue, 'must be an object').optional(),
  },
  'must be an object',
);
const prices = z.strictObject({
  input: price,
  output: price,
  cacheRead: price.optional(),
  cacheWrite: price.optional(),
});
const model = z.strictObject({
  contextTokens: count.optional(),
  outputTokens: count.optional(),
  prices: prices.optional(),
  editStyle: z.enum(['text', 'patch'], 'must be "text" or "patch"').optional(),
  seesImages: z.boolean('must be true or false').optional(),
  textCalls: z.enum(textCallModes, 'must be "recover", "prompt" or "off"').optional(),
  toolProfile: z.enum(toolProfileNames, 'must be "full" or "small"').optional(),
  efforts: z
    .array(
      z.enum(efforts, `must be one of ${efforts.join(', ')}`),
      `must be an array with some of ${efforts.join(', ')}`,
    )
    .optional(),
});
const providerId = z.string().regex(/^[a-z0-9][a-z0-9_-]*$/i, 'must be a name of letters, digits, "_" and "-"');
const modelId = z.string().regex(/^[^/\s]+\/\S+$/, 'must have the form "provider/name"');

const file = z.strictObject(
  {
    providers: z.record(providerId, provider, 'must be an object').optional(),
    models: z.record(modelId, model, 'must be an object').optional(),
    aliases: z.record(z.string(), text, 'must be an object').optional(),
    default: text.optional(),
    small: text.optional(),
  },
  'must be an object',
);

type OwnProvider = z.infer<typeof provider>;

function isAddress(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && isWebAddress(value) && !url.username && !url.password;
}

/** The catalogue merged with the file. Throws a `ModelFailure` that names the file and the field. */
export function withModelsFile(catalogue: Catalogue, json: string, path: string): Catalogue {
  const { providers = {}, models = {}, aliases = {}, default: preferred, small } = parse(json, path);
  const merged = new Map(catalogue.providers);
  for (const [id, own] of Object.entries(providers)) merged.set(id, mergeProvider(id, catalogue, own, path));
  const known = new Map(catalogue.models);
  for (const [id, facts] of Object.entries(models)) {
    const provider = id.slice(0, id.indexOf('/'));
    if (!merged.has(provider))
      throw refused(path, `models["${id}"] belongs to "${provider}", which is not a known provider`);
    known.set(id, { ...known.get(id), ...facts });
  }
  return {
    providers: merged,
    models: known,
    aliases: new Map([...catalogue.aliases, ...Object.entries(aliases)]),
    ...(preferred && { default: preferred }),
    ...(small && { small }),
  };
}

function parse(text: string, path: string): z.infer<typeof file> {
  const json = text.replace(/^\ufeff/, ''); // a byte order mark, which some editors write
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw refused(path, `is not valid JSON (${syntaxProblem(json, error)})`);
  }
  const parsed = file.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refused(path, issue ? describe(issue, value) : 'is not understood');
}

function mergeProvider(id: string, catalogue: Catalogue, own: OwnProvider, path: string): Provider {
  const known = catalogue.providers.get(id);
  const { baseUrl = known?.baseUrl, ...rest } = own;
  const isMoved = known && baseUrl && hostOf(baseUrl) !== hostOf(known.baseUrl);
  const wire = own.wire ?? ((isMoved && known.wireElsewhere) || known?.wire);
  const missing = wire === undefined ? 'wire' : 'baseUrl';
  if (wire === undefined || baseUrl === undefined) {
    throw refused(path, `providers.${id}.${missing} is missing, and "${id}" is not a provider that helve knows`);
  }
  // A format given in the file applies to this provider at any host.
  const { wireElsewhere, ...before } = known ?? { title: id, keys: [], isOwn: true };
  return {
    ...before,
    ...(own.wire === undefined && wireElsewhere && { wireElsewhere }),
    ...rest,
    id,
    wire,
    baseUrl,
    keys: keysOf(own, before.keys),
  };
}

/** A known key stays bound to its address unless the file sets an address: the user's choice takes precedence. */
function keysOf({ baseUrl, keys }: OwnProvider, before: readonly KeySource[]): KeySource[] {
  const inherited = baseUrl === undefined ? before : before.map(({ variable }) => ({ variable }));
  if (!keys) return [...inherited];
  return keys.map((variable) => inherited.find((key) => key.variable === variable) ?? { variable });
}

const TOKEN_PROBLEM = /^Unexpected token '.'/su;

/**
 * V8's message quotes the file, which may contain a secret at that point, so only its first part and the line are
 * shown.
 */
function syntaxProblem(json: string, error: unknown): string {
  const message = messageOf(error);
  const [problem] = TOKEN_PROBLEM.exec(message) ?? [];
  if (problem === undefined) return message.includes(' is not valid JSON') ? 'it is something else' : message;
  // Binary search for the shortest invalid prefix: it ends with the wrong character.
  let [right, wrong] = [0, json.length];
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2);
    if (TOKEN_PROBLEM.test(problemOf(json.slice(0, middle)))) wrong = middle;
    else right = middle;
  }
  return `${problem} at line ${json.slice(0, wrong).split('\n').length}`;
}

function problemOf(json: string): string {
  try {
    JSON.parse(json);
    return '';
  } catch (error) {
    return messageOf(error);
  }
}

function describe(issue: z.core.$ZodIssue, value: unknown): string {
  const field = issue.path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    if (!/^\w+$/.test(String(key))) return `${name}["${String(key)}"]`;
    return name ? `${name}.${String(key)}` : String(key);
  }, '');
  if (issue.code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys;
    const [nearest] = nearestWords(unknown.replaceAll(/[_-]/g, ''), fieldsAt(issue.path));
    const hint = nearest === undefined ? '' : `: did you mean "${nearest}"?`;
    return `${inside(field)}"${unknown}" is not a field that helve knows${hint}`;
  }
  if (issue.code === 'invalid_key') return `${field} ${issue.issues[0]?.message ?? 'is not a name that can be used'}`;
  const found = issue.path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
  if (found === undefined && field) return `${field} is missing`;
  const sentence = `${field || 'the whole'} ${issue.message}`;
  return maySecretBeAt(issue.path) ? sentence : `${sentence}, but was ${shown(found)}`;
}

function fieldsAt([part, , field]: readonly PropertyKey[]): string[] {
  if (part === undefined) return Object.keys(file.shape);
  if (field !== undefined) return Object.keys(prices.shape);
  return Object.keys(part === 'providers' ? provider.shape : model.shape);
}

const SECRET_FIELDS: readonly unknown[] = ['headers', 'keys', 'baseUrl', 'baseUrlVariable'];

/** Whether a field of a provider may contain a secret, at any depth. */
const maySecretBeAt = ([part, , field]: readonly PropertyKey[]): boolean =>
  part === undefined || (part === 'providers' && (field === undefined || SECRET_FIELDS.includes(field)));

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : shorten(JSON.stringify(value));
}

const inside = (field: string): string => (field ? `in ${field}, ` : '');

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** Fails instead of ignoring the bad part: a half-understood file could send prompts to the wrong server. */
function refused(path: string, what: string): ModelFailure {
  const sentence = what.startsWith('is ') ? `${path} ${what}` : `${path}: ${what}`;
  return new ModelFailure(
    'invalid_request',
    `${sentence}${sentence.endsWith('?') ? '' : '.'} Correct the file, or move it away.`,
  );
}
