// The servers that are configured for this folder, whether or not they are in use.
import { signInState } from '../../mcp/auth/credential.js';
import { readConfig } from '../../mcp/client/config.js';
import { dataFolderOf } from '../../platform/files/paths.js';
import { isObject } from '../../platform/is-object.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import { readSettings } from '../../settings/load.js';
import type { SourceKind } from '../../settings/locations.js';
import type { Settings } from '../../settings/settings.js';
import { settingsOptions } from '../args.js';
import { UsageProblem } from '../usage-problem.js';

export interface KnownServer {
  name: string;
  /** As configured. */
  entry: Readonly<Record<string, unknown>>;
  scope: SourceKind;
  file: string;
  line?: number;
  state: 'trusted' | 'untrusted' | 'off' | 'broken' | 'overridden';
  /** Why it is not used; undefined if it is. */
  problem?: string;
  /** Of a remote server that somebody has signed in to; it may have become invalid. */
  signIn?: 'signed in' | 'needs sign-in';
}

export interface ServerFlags {
  settings?: string | undefined;
  trust?: boolean | undefined;
}

export const serverFlags = { settings: { type: 'string' }, trust: { type: 'boolean' } } as const;

export async function knownServers(flags: ServerFlags): Promise<{ servers: KnownServer[]; settings: Settings }> {
  const options = settingsOptions(flags);
  const settings = await readSettings(options);
  const dataFolder = dataFolderOf(options);
  const servers = settings.entries.flatMap(({ key, name, value, origin, ignored }): KnownServer[] => {
    if (key !== 'mcpServers' || name === undefined || !isObject(value)) return [];
    const { kind: scope, file, line } = origin;
    const written = { name, entry: value, scope, file, ...(line !== undefined && { line }) };
    if (ignored !== undefined) return [{ ...written, ...ignoredState(name, ignored, settings) }];
    const read = readConfig({ name, entry: value, source: scope }, process.env);
    if (!('problem' in read)) {
      const signIn = 'url' in read.config ? signInState(dataFolder, { name, url: read.config.url }) : undefined;
      return [{ ...written, state: 'trusted', ...(signIn && { signIn }) }];
    }
    return [{ ...written, state: read.disabled ? 'off' : 'broken', problem: read.problem }];
  });
  return { servers, settings };
}

/** A server that was not approved is untrusted; other unused ones are overridden by another entry, or disabled. */
function ignoredState(name: string, problem: string, { trust }: Settings): Pick<KnownServer, 'state' | 'problem'> {
  const isPending = trust.pending.some((item) => item.key === 'mcpServers' && item.name === name);
  if (isPending && /trusted/.test(problem)) return { state: 'untrusted', problem };
  return { state: /comes first/.test(problem) ? 'overridden' : 'off', problem };
}

/** The server of that name that is in use, else the one with the highest precedence. */
export function findServer(name: string, servers: readonly KnownServer[]): KnownServer {
  const named = servers.filter((server) => server.name === name);
  const found = named.find(({ problem }) => problem === undefined) ?? named[0];
  if (found) return found;
  throw noSuchServer(
    name,
    servers.map((server) => server.name),
  );
}

export function noSuchServer(name: string, known: readonly string[]): UsageProblem {
  const names = [...new Set(known)];
  const [nearest] = nearestWords(name, names);
  const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  const others =
    names.length === 0 ? 'None is configured here: add one with helve mcp add.' : `There are: ${names.join(', ')}.`;
  return new UsageProblem(`There is no MCP server "${name}".${meant} ${others}`);
}
