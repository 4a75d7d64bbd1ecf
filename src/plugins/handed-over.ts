// What a plugin gets of the person's environment and values, and where it goes: for the person who decides about it.
import { environmentNames } from '../mcp/client/config.js';
import type { LoadedPlugin } from './loaded-plugin.js';

/** A variable that leaves the person's environment. Never with its value. */
export interface HandedOver {
  /** As written: `${ANTHROPIC_API_KEY}`, or `${user_config.token}` for a value that the plugin asks for. */
  variable: string;
  /** The server or the hook's event, and the field: `plugin_a_s, header Authorization`. */
  by: string;
  /** The command that is started, or the address that is reached. */
  to: string;
}

export function handedOver({ servers, hooks, options }: LoadedPlugin): HandedOver[] {
  const found = [
    ...Object.entries(servers).flatMap(([name, entry]) => ofServer(name, entry, options)),
    ...hooks.flatMap(({ event, hook }) => {
      if (hook.type !== 'http') return [];
      const allowed = hook.allowedEnvVars ?? [];
      return Object.entries(hook.headers ?? {}).flatMap(([header, text]) =>
        allowed
          .filter((variable) => text.includes(`$${variable}`) || text.includes(written(variable)))
          .map((variable) => ({
            variable: written(variable),
            by: `hook of ${event}, header ${header}`,
            to: hook.url,
          })),
      );
    }),
  ];
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

function ofServer(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  options: LoadedPlugin['options'],
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
  // Each value that the plugin asks for is in the environment of the programs that it starts.
  const values = options.map(({ key, variable }) => ({
    variable: written(`user_config.${key}`),
    by: `${name}, variable ${variable}`,
    to,
  }));
  return [...inField('command', command), ...inField('arguments', args), ...inEach('variable', env), ...values];
}

function variablesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(variablesIn);
  if (typeof value !== 'string') return [];
  const values = [...value.matchAll(/\$\{(user_config\.\w+)\}/g)].map(([, name = '']) => name);
  return [...environmentNames(value), ...values].map(written);
}

const written = (name: string): string => `\${${name}}`;
