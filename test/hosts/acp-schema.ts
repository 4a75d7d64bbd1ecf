// ACP's own JSON schema as the judge of all traffic. It comes with the official SDK, which is not among the
// dependencies: the CI fetches it, and docs/acp.md says how to do it by hand.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export const clientsFolder = resolve(
  process.env['HELVE_ACP_CLIENTS'] ?? 'node_modules/.cache/acp-clients',
  'node_modules',
);
const schemaFile = join(clientsFolder, '@agentclientprotocol/sdk/schema/v1/schema.json');

export interface AcpMessage {
  id?: string | number | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

export interface Recorded {
  from: 'client' | 'agent';
  message: AcpMessage;
}

interface Definition {
  'x-method'?: string;
}

/** What of the traffic does not fit the schema, in sentences; undefined if the schema is not there. */
export function schemaViolations(traffic: readonly Recorded[]): string[] | undefined {
  const validators = loadValidators();
  if (!validators) return undefined;
  const asked = new Map<string, string>();
  const violations: string[] = [];
  const check = (what: string, name: string, value: unknown): void => {
    const validate = validators.get(name);
    if (!validate) violations.push(`${what}: the schema has no ${name}`);
    else if (!validate(value))
      violations.push(`${what}: ${JSON.stringify(validate.errors?.slice(0, 3))} in ${JSON.stringify(value)}`);
  };
  for (const { from, message } of traffic) {
    const { id, method, params, result, error } = message;
    if (method?.startsWith('_')) continue; // an extension, which the protocol leaves to agents and clients
    if (method !== undefined && id !== undefined) {
      asked.set(`${from} ${id}`, method);
      check(`${from} ${method}`, `request ${method}`, params);
    } else if (method !== undefined) check(`${from} ${method}`, `notification ${method}`, params);
    else {
      const answered = asked.get(`${from === 'client' ? 'agent' : 'client'} ${id}`);
      if (error) check(`${from} error`, 'error', error);
      else check(`${from} answer to ${answered}`, `response ${answered}`, result);
    }
  }
  return violations;
}

function loadValidators(): ReadonlyMap<string, ValidateFunction> | undefined {
  if (!existsSync(schemaFile)) return undefined;
  const schema: { $defs: Record<string, Definition> } = JSON.parse(readFileSync(schemaFile, 'utf8'));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(schema, 'acp');
  const validators = new Map<string, ValidateFunction>();
  const add = (name: string, definition: string): void => {
    const validate = ajv.getSchema(`acp#/$defs/${definition}`);
    if (validate) validators.set(name, validate);
  };
  for (const [definition, { 'x-method': method }] of Object.entries(schema.$defs)) {
    const [, kind] = /(Request|Response|Notification)$/.exec(definition) ?? [];
    if (method !== undefined && kind !== undefined) add(`${kind.toLowerCase()} ${method}`, definition);
  }
  add('error', 'Error');
  return validators;
}
