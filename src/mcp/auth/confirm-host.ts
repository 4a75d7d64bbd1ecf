// Which addresses requests of a sign-in may go to. A server names its authorization server, so without these rules it
// could have Helve send requests to services inside the user's network.
import { isIP } from 'node:net';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { type Lookup, systemLookup } from '../../platform/web/dns.js';
import { type AddressKind, addressKind, isLoopbackName } from '../../platform/web/special-addresses.js';

export interface KnownHosts {
  /** The address of the MCP server, which the user configured. */
  server: URL;
  /** Addresses in the settings of the server. */
  configured: readonly URL[];
  lookup?: Lookup;
}

/** Throws if no request may go there. `what` names the address in the message, for example "the token endpoint". */
export async function confirmHost(address: URL, what: string, known: KnownHosts): Promise<void> {
  const shown = plainLine(`${address.protocol}//${address.host}`, 200);
  if (address.username !== '' || address.password !== '') {
    throw new AuthProblem(`${what} has a user or a password in its address, so nothing was sent to ${shown}.`);
  }
  const trusted = [known.server, ...known.configured];
  const isLocal = isLoopbackName(address.hostname) && trusted.some(({ hostname }) => isLoopbackName(hostname));
  if (address.protocol !== 'https:' && !(address.protocol === 'http:' && isLocal)) {
    throw new AuthProblem(`${what} is ${shown}, which is not encrypted, so nothing was sent there. It must be https.`);
  }
  if (isLocal || trusted.some(({ hostname }) => hostname === address.hostname)) return;
  const kind = await kindOf(address.hostname, known.lookup ?? systemLookup);
  if (kind === 'public') return;
  const isInside =
    kind === 'private' && (await kindOf(known.server.hostname, known.lookup ?? systemLookup)) !== 'public';
  if (isInside) return; // a server of the same network
  throw new AuthProblem(
    `${what} is ${shown}, an address inside a private network that ${known.server.host} does not belong to, so nothing was sent there. If it is right, name it as "authServerMetadataUrl" in the "oauth" settings of the server.`,
  );
}

async function kindOf(hostname: string, lookup: Lookup): Promise<AddressKind> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isLoopbackName(hostname)) return 'private';
  if (isIP(host) !== 0) return addressKind(host);
  // Behind a proxy, names of the internet may not resolve. A name that nothing resolves can't be reached either.
  const addresses = await lookup(host).catch(() => []);
  const kinds = addresses.map(({ address }) => addressKind(address));
  return kinds.find((kind) => kind === 'never') ?? kinds.find((kind) => kind === 'private') ?? 'public';
}
