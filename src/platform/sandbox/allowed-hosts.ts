import { BlockList, isIP } from 'node:net';

const MAX_NAME_CHARS = 254; // of a name in the domain name system, with a dot at its end

/** A host as it is compared: lower case, without a dot at its end, an address in its one plain form. */
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

/** Undefined where the text is none. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const trimmed = text.trim();
  const bare = isIP(trimmed) === 6 ? `[${trimmed}]` : trimmed;
  const [, written = '', digits] = /^(.*?)(?::(\d{1,5}))?$/.exec(bare) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const rest = { ...(port !== undefined && { port }) };
  if (written === '*') return { kind: 'everything', host: '', ...rest };
  const isBelow = written.startsWith('*.');
  const host = plainHost(isBelow ? written.slice(2) : written);
  if (host === undefined || (isBelow && isIP(host) !== 0)) return undefined;
  return { kind: isBelow ? 'below' : 'exact', host, ...rest };
}

/** A host in the form in which it is compared; undefined for what is none, or hides what it is. */
export function plainHost(text: string): string | undefined {
  if (text.length > MAX_NAME_CHARS) return undefined;
  const address = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIP(address) === 6) return plainAddress(`[${address}]`);
  if (!/^[\p{L}\p{N}_.-]+$/u.test(text)) return undefined;
  const host = plainAddress(text)?.replace(/\.$/, '');
  if (host === undefined || host.split('.').some((label) => label === '')) return undefined;
  return host;
}

/** The URL parser knows all the ways to write an address: 127.1, 0x7f000001. One of IPv4 in the form of IPv6 is the same one. */
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

/** Entries that are not understood are left out: whoever reads settings has said so already. */
export function hostLists({ allowed, denied }: { allowed: readonly string[]; denied: readonly string[] }): HostLists {
  const parsed = (list: readonly string[]): HostPattern[] => list.flatMap((text) => parseHostPattern(text) ?? []);
  return { allowed: parsed(allowed), denied: parsed(denied) };
}

/** Whether the name itself may be asked for. An address has to be listed as such. */
export function mayAskFor({ host, port }: Destination, { allowed, denied }: HostLists): boolean {
  const isAddress = isIP(host) !== 0;
  return (
    !denied.some((pattern) => means(pattern, { host, port })) &&
    allowed.some((pattern) => means(pattern, { host, port }) && !(isAddress && pattern.kind !== 'exact'))
  );
}

/**
 * Whether an address that a name leads to may be connected to. Whoever owns a name decides where it leads, so a name that
 * is allowed does not open this machine or its network: such an address has to be listed itself. `localhost` always means
 * this machine, so listing that name is enough.
 */
export function mayConnectTo(address: string, { host, port }: Destination, { allowed, denied }: HostLists): boolean {
  const plain = plainHost(address);
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

/** This machine and whatever only its own network reaches, the metadata services of clouds among them. */
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
    ['0.0.0.0', 8], // this machine
    ['10.0.0.0', 8], // private
    ['100.64.0.0', 10], // behind a carrier's translation
    ['127.0.0.0', 8], // this machine
    ['169.254.0.0', 16], // link-local: the metadata service of most clouds
    ['172.16.0.0', 12], // private
    ['192.0.0.0', 24], // protocol assignments, another metadata service
    ['192.168.0.0', 16], // private
    ['198.18.0.0', 15], // tests of network devices
    ['224.0.0.0', 3], // multicast, reserved, broadcast
  ] as const) {
    list.addSubnet(network, bits, 'ipv4');
  }
  for (const [network, bits] of [
    ['::', 96], // none, this machine, and IPv4 in an old form
    ['64:ff9b::', 95], // IPv4 behind a translator
    ['100::', 64], // discarded
    ['2002::', 16], // IPv4 in a tunnel
    ['2001::', 32], // IPv4 in another one
    ['fc00::', 7], // private
    ['fe80::', 9], // link-local, site-local
    ['ff00::', 8], // multicast
  ] as const) {
    list.addSubnet(network, bits, 'ipv6');
  }
  return list;
}
