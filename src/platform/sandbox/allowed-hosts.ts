import { BlockList, isIP } from 'node:net';

const MAX_NAME_CHARS = 254; // the longest DNS name, including a trailing dot

/** A host in normalized form for comparison: lower case, no trailing dot, and IP addresses in canonical form. */
export interface Destination {
  host: string;
  port: number;
}

/** One entry of a list: `example.com`, `*.example.com`, `*`, `10.0.0.5`, `[::1]`; each with or without `:port`. */
export interface HostPattern {
  kind: 'everything' | 'below' | 'exact';
  host: string;
  port?: number;
}

/** Parses one entry; returns undefined if the text is not a valid entry. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const trimmed = text.trim();
  const bare = isIP(trimmed) === 6 ? `[${trimmed}]` : trimmed;
  const [, written = '', digits] = /^(.*?)(?::(\d{1,5}))?$/.exec(bare) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const rest = { ...(port !== undefined && { port }) };
  if (written === '*') return { kind: 'everything', host: '', ...rest };
  const isBelow = written.startsWith('*.');
  const host = normalizeHost(isBelow ? written.slice(2) : written);
  if (host === undefined || (isBelow && isIP(host) !== 0)) return undefined;
  return { kind: isBelow ? 'below' : 'exact', host, ...rest };
}

/** Normalizes a host for comparison; returns undefined if it is not a valid host. */
export function normalizeHost(text: string): string | undefined {
  if (text.length > MAX_NAME_CHARS) return undefined;
  const address = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIP(address) === 6) return plainAddress(`[${address}]`);
  if (!/^[\p{L}\p{N}_.-]+$/u.test(text)) return undefined;
  const host = plainAddress(text)?.replace(/\.$/, '');
  if (host === undefined || host.split('.').some((label) => label === '')) return undefined;
  return host;
}

/**
 * The URL parser accepts every spelling of an address (127.1, 0x7f000001). An IPv4-mapped IPv6 address equals its IPv4
 * address.
 */
function plainAddress(host: string): string | undefined {
  const url = `http://${host}/`;
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return hostname.replace(/^\[(.*)\]$/, '$1');
  return [high, low]
    .map((part) => Number.parseInt(part, 16))
    .flatMap((part) => [part >> 8, part & 0xff])
    .join('.');
}

export interface HostLists {
  allowed: readonly HostPattern[];
  denied: readonly HostPattern[];
}

/** Invalid entries are skipped: the settings reader has already reported them. */
export function hostLists({ allowed, denied }: { allowed: readonly string[]; denied: readonly string[] }): HostLists {
  const parsed = (list: readonly string[]): HostPattern[] => list.flatMap((text) => parseHostPattern(text) ?? []);
  return { allowed: parsed(allowed), denied: parsed(denied) };
}

/** Whether the name itself is listed. An IP address must be listed as an address. */
export function isHostAllowed({ host, port }: Destination, { allowed, denied }: HostLists): boolean {
  const isAddress = isIP(host) !== 0;
  return (
    !denied.some((pattern) => means(pattern, { host, port })) &&
    allowed.some((pattern) => means(pattern, { host, port }) && !(isAddress && pattern.kind !== 'exact'))
  );
}

/**
 * Whether a connection to an address that a name resolved to is allowed. The owner of a domain controls where it
 * resolves to, so an allowed name does not open this machine or its network: such an address must be listed itself.
 * `localhost` always means this machine, so listing that name is enough.
 */
export function isAddressAllowed(
  address: string,
  { host, port }: Destination,
  { allowed, denied }: HostLists,
): boolean {
  const plain = normalizeHost(address);
  if (plain === undefined || denied.some((pattern) => means(pattern, { host: plain, port }))) return false;
  if (!isLocal(plain)) return true;
  const isListed = (name: string): boolean =>
    allowed.some((pattern) => pattern.kind === 'exact' && means(pattern, { host: name, port }));
  return isListed(plain) || (host === 'localhost' && isLoopback(plain) && isListed(host));
}

function means(pattern: HostPattern, { host, port }: Destination): boolean {
  if (pattern.port !== undefined && pattern.port !== port) return false;
  if (pattern.kind === 'everything') return true;
  return pattern.kind === 'exact' ? host === pattern.host : host.endsWith(`.${pattern.host}`);
}

/** This machine and addresses that only its own network reaches, including cloud metadata services. */
export const isLocal = (address: string): boolean => isIn(localAddresses(), address);

const isLoopback = (address: string): boolean => isIn(loopbackAddresses(), address);

const isIn = (list: BlockList, address: string): boolean => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

function loopbackAddresses(): BlockList {
  const list = new BlockList();
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addAddress('::1', 'ipv6');
  return list;
}

function localAddresses(): BlockList {
  const list = new BlockList();
  for (const [network, bits] of [
    ['0.0.0.0', 8], // this host
    ['10.0.0.0', 8], // private
    ['100.64.0.0', 10], // carrier-grade NAT
    ['127.0.0.0', 8], // loopback
    ['169.254.0.0', 16], // link-local: the metadata service of most clouds
    ['172.16.0.0', 12], // private
    ['192.0.0.0', 24], // protocol assignments, another metadata service
    ['192.168.0.0', 16], // private
    ['198.18.0.0', 15], // benchmarking of network devices
    ['224.0.0.0', 3], // multicast, reserved, broadcast
  ] as const) {
    list.addSubnet(network, bits, 'ipv4');
  }
  for (const [network, bits] of [
    ['::', 96], // unspecified, loopback, and deprecated IPv4-compatible addresses
    ['64:ff9b::', 95], // NAT64
    ['100::', 64], // discard-only
    ['2002::', 16], // 6to4
    ['2001::', 32], // Teredo
    ['fc00::', 7], // private
    ['fe80::', 9], // link-local, site-local
    ['ff00::', 8], // multicast
  ] as const) {
    list.addSubnet(network, bits, 'ipv6');
  }
  return list;
}
