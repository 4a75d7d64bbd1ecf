// What a plugin gets of the person's environment and values, and where it goes: for the person who decides about it. The
// plugin is one that was loaded unfilled, so values stand there as the plugin wrote them.
import type { ConfiguredHook } from '../hooks/schema.js';
import { environmentNames } from '../mcp/client/config.js';
import type { LoadedPlugin } from './loaded-plugin.js';

/** A variable that leaves the person's environment. Never with its value. */
export interface HandedOver {
  /** As written: `${SERVICE_KEY}`, or `${user_config.token}` for a value that the plugin asks for. */
  variable: string;
  /** The server or the hook's event, and the field: `plugin_a_s, header Authorization`. */
  by: string;
  /** The command that is started, or the address that is reached. */
  to: string;
}

export function handedOver({ servers, hooks, options, format }: LoadedPlugin): HandedOver[] {
  const found = [
    ...Object.entries(servers).flatMap(([name, entry]) => ofServer(name, entry, format === 'gemini' ? options : [])),
    ...hooks.flatMap((hook) => ofHook(hook, options)),
  ];
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

function ofServer(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  /** The values that it gets without naming them. */
  given: LoadedPlugin['options'],
): HandedOver[] {
  const { command, args, url, env, headers } = entry;
  const isProcess = typeof command === 'string';
  const to = isProcess ? [command, ...(Array.isArray(args) ? args : [])].join(' ') : String(url);
  const inField = (field: string, value: unknown): HandedOver[] =>
    variablesIn(value).map((variable) => ({ variable, by: `${name}, ${field}`, to }));
  const inEach = (word: string, value: unknown): HandedOver[] =>
    Object.entries(typeof value === 'object' && value !== null ? value : {}).flatMap(([field, text]) =>
      inField(`${word} ${field}`, text),
    );
  if (!isProcess) return [...inField('address', url), ...inEach('header', headers)];
  const values = given.map(({ key, variable }) => ({
    variable: written(`user_config.${key}`),
    by: `${name}, variable ${variable}`,
    to,
  }));
  return [...inField('command', command), ...inField('arguments', args), ...inEach('variable', env), ...values];
}

/** Programs of hooks get every value that the plugin asks for; addresses only those that they name. */
function ofHook({ event, hook, label = '' }: ConfiguredHook, options: LoadedPlugin['options']): HandedOver[] {
  const by = `hook of ${event}`;
  const inField = (field: string, value: unknown, to: string): HandedOver[] =>
    valuesIn(value).map((variable) => ({ variable, by: `${by}, ${field}`, to }));
  if (hook.type === 'command') {
    return [
      ...inField('command', hook.command, label),
      ...inField('arguments', hook.args, label),
      ...options.map(({ key, variable }) => ({
        variable: written(`user_config.${key}`),
        by: `${by}, variable ${variable}`,
        to: label,
      })),
    ];
  }
  const allowed = hook.allowedEnvVars ?? [];
  return [
    ...inField('address', hook.url, hook.url),
    ...Object.entries(hook.headers ?? {}).flatMap(([header, text]) => [
      ...inField(`header ${header}`, text, hook.url),
      ...allowed
        .filter((variable) => text.includes(`$${variable}`) || text.includes(written(variable)))
        .map((variable) => ({ variable: written(variable), by: `${by}, header ${header}`, to: hook.url })),
    ]),
  ];
}

function variablesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(variablesIn);
  return typeof value === 'string' ? [...environmentNames(value).map(written), ...valuesIn(value)] : [];
}

function valuesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(valuesIn);
  if (typeof value !== 'string') return [];
  return [...value.matchAll(/\$\{(user_config\.\w+)\}/g)].map(([, name = '']) => written(name));
}

const written = (name: string): string => `\${${name}}`;
