import { isAbsolute } from 'node:path';
import { MAX_TIMER_MS } from '../../platform/clock.js';
import { isObject } from '../../platform/is-object.js';
import { clause } from '../../platform/text/clause.js';
import { type OauthSettings, readOauth } from '../auth/oauth-settings.js';

// Turns a server's entry in settings into what is needed to reach it.

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a server was configured. Trust depends on this, never on the server's name. */
export type ConfigSource = 'managed' | 'flag' | 'local' | 'project' | 'user';

/** A server that may be started: the caller has checked that its source is trusted. */
export interface ConfiguredServer {
  name: string;
  /** As configured, with `${VAR}` unexpanded. */
  entry: Readonly<Record<string, unknown>>;
  source: ConfigSource;
}

interface CommonConfig {
  /** For one call, regardless of progress. Default: from the environment. */
  timeoutMs?: number;
  /** Gives the model the schemas of its tools from the start. */
  alwaysLoad: boolean;
}

export interface StdioConfig extends CommonConfig {
  type: 'stdio';
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Absolute. Default: the project. */
  cwd?: string;
}

export interface RemoteConfig extends CommonConfig {
  type: 'http' | 'sse';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** A command that prints headers as a JSON object. */
  headersHelper?: string;
  oauth?: OauthSettings;
}

/** A server that lives in the host program. */
export interface HostConfig extends CommonConfig {
  type: 'sdk';
}

export type ConnectionConfig = StdioConfig | RemoteConfig | HostConfig;

export type ReadConfig =
  | { config: ConnectionConfig; warnings: readonly string[] }
  /** `disabled`: the entry is empty on purpose. */
  | { problem: string; disabled?: true };

const MIN_TIMEOUT_MS = 1_000; // smaller numbers were probably meant as seconds

/** `isWithheld`: whether a variable is set, but not passed on, such as the key of a model provider. */
export function readConfig(
  { name, entry, source }: ConfiguredServer,
  env: Environment,
  isWithheld: (variable: string) => boolean = () => false,
): ReadConfig {
  const missing = new Set<string>();
  const filled = (text: string): string => expandVariables(text, env, missing);
  const isOfHost = entry['type'] === 'sdk' && source === 'flag'; // no file can name one
  const result = isOfHost ? { type: 'sdk' as const, ...commonOf(entry) } : readEntry(name, entry, filled);
  if ('problem' in result) return result;
  const warnings = [...missing].map((variable) =>
    isWithheld(variable)
      ? `The MCP server ${name} uses \${${variable}}, a key that is withheld from servers. The text stays as it is written. To pass it on: HELVE_PASS_ENV=${variable}.`
      : `The MCP server ${name} uses \${${variable}}, which is not set. The text stays as it is written.`,
  );
  return { config: result, warnings };
}

function readEntry(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  filled: (text: string) => string,
): ConnectionConfig | { problem: string; disabled?: true } {
  const { type, command, url } = entry;
  const common = commonOf(entry);
  if (type === undefined && url !== undefined && command === undefined) {
    return wrong(name, 'has a "url" but no "type". Add "type": "http", or "sse" for an old server');
  }
  if (type === undefined || type === 'stdio') {
    if (typeof command !== 'string' || command.trim() === '') return wrong(name, 'has no "command"');
    return {
      type: 'stdio',
      command: filled(command),
      args: texts(entry['args']).map(filled),
      env: mapValues(textsByName(entry['env']), filled),
      ...(typeof entry['cwd'] === 'string' && isAbsolute(entry['cwd']) && { cwd: entry['cwd'] }),
      ...common,
    };
  }
  if (type !== 'http' && type !== 'sse' && type !== 'streamable-http') {
    return wrong(name, `has the type ${JSON.stringify(type)}. There are "stdio", "http" and "sse"`);
  }
  if (url === '' || url === undefined) return { problem: `The MCP server ${name} has no address.`, disabled: true };
  const address = typeof url === 'string' ? URL.parse(filled(url)) : null;
  if (!address || !['http:', 'https:'].includes(address.protocol)) {
    return wrong(name, 'has a "url" that is not an http or https address');
  }
  // fetch would show them in its errors.
  if (address.username !== '' || address.password !== '') {
    return wrong(name, 'has a user or a password in its "url". Use "headers" instead');
  }
  const headers = mapValues(textsByName(entry['headers']), filled);
  const headersProblem = headerProblem(headers);
  if (headersProblem !== undefined) return wrong(name, `has ${headersProblem}`);
  const helper = entry['headersHelper'];
  const signIn = readOauth(entry['oauth'], filled);
  if ('problem' in signIn) return wrong(name, signIn.problem);
  return {
    type: type === 'sse' ? 'sse' : 'http',
    url: address.href,
    headers,
    ...(typeof helper === 'string' && helper.trim() !== '' && { headersHelper: helper }),
    ...(signIn.oauth && { oauth: signIn.oauth }),
    ...common,
  };
}

const commonOf = (entry: Readonly<Record<string, unknown>>): CommonConfig => ({
  alwaysLoad: entry['alwaysLoad'] === true,
  ...timeoutOf(entry['timeout']),
});

/** Why headers can't be sent, without their values, which are secrets; undefined if they can. */
export function headerProblem(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      return `a header named ${JSON.stringify(name)}, which can't be sent`;
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim())) {
      return `a header ${name} whose value holds a line break or another character that can't be sent`;
    }
  }
  return undefined;
}

const wrong = (name: string, why: string): { problem: string } => ({
  problem: `The MCP server ${name} is not used: it ${clause(why)}.`,
});

function timeoutOf(value: unknown): { timeoutMs?: number } {
  return typeof value === 'number' && value >= MIN_TIMEOUT_MS ? { timeoutMs: Math.min(value, MAX_TIMER_MS) } : {};
}

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** The variables that `readConfig` would fill in. */
export const environmentNames = (text: string): string[] => [...text.matchAll(VARIABLE)].map(([, name = '']) => name);

/** Expands `${VAR}` and `${VAR:-default}`. Unset variables without a default stay unexpanded. */
function expandVariables(text: string, env: Environment, missing: Set<string>): string {
  return text.replaceAll(VARIABLE, (whole, variable: string, otherwise?: string) => {
    const value = env[variable];
    if (value !== undefined && (value !== '' || otherwise === undefined)) return value;
    if (otherwise !== undefined) return otherwise;
    missing.add(variable);
    return whole;
  });
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function textsByName(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, String(inner)]));
}

const mapValues = (
  object: Readonly<Record<string, string>>,
  change: (text: string) => string,
): Record<string, string> => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
