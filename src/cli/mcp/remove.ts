import { editablePlace } from '../../settings/edit-file.js';
import { readArgs, settingsOptions } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { editServer, readScope } from './edit-servers.js';
import { findServer, type KnownServer, knownServers } from './known-servers.js';

/** Removes a server from the file that defines it. */
export async function remove(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { scope: { type: 'string', short: 's' } });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageProblem('Use helve mcp remove NAME [--scope SCOPE].');
  const scope = readScope(values.scope);
  const { servers } = await knownServers({});
  findServer(name, servers);
  const named = servers.filter((one) => one.name === name && (scope === undefined || one.scope === scope));
  for (const server of chosen(name, named, scope)) {
    const place = editableScopeOf(server);
    if (place === undefined) throw new UsageProblem(notOurs(server));
    await editServer(place, name, undefined);
    await writeLine(process.stdout, `${name} was removed from ${server.file}.`);
  }
  return exitCode.ok;
}

function chosen(name: string, named: readonly KnownServer[], scope: string | undefined): readonly KnownServer[] {
  if (named.length === 0) throw new UsageProblem(`There is no server "${name}" in the scope ${scope}.`);
  const ours = named.filter((server) => editableScopeOf(server) !== undefined);
  if (ours.length === 0) return named;
  const scopes = [...new Set(ours.map((server) => server.scope))];
  if (scopes.length === 1) return ours;
  const places = ours.map((server) => `${server.file} (${server.scope})`).join(', ');
  throw new UsageProblem(`"${name}" is configured in several places: ${places}. Choose one with --scope.`);
}

/** Files of other agents and of the administrator are not changed. */
function editableScopeOf({ scope, file }: KnownServer): Parameters<typeof editServer>[0] | undefined {
  if (file === '.mcp.json') return '.mcp.json';
  if (file === '.helve/settings.json') return 'project';
  if (file === '.helve/settings.local.json') return 'local';
  return scope === 'user' && file === editablePlace('user', settingsOptions()).file ? 'user' : undefined;
}

const notOurs = ({ name, file }: KnownServer): string =>
  `"${name}" is configured in ${file}, which helve does not change. Remove it there by hand.`;
