// Classifies addresses as public or not. Services at other addresses (this machine, its network) often trust every
// client that can reach them, so a page must not be able to send requests there.
import { BlockList, isIP } from 'node:net';

/**
 * `public`: on the internet. `private`: this machine or its network, which a person may allow by naming the host.
 * `never`: cloud metadata services, and addresses that no page can have.
 */
export type AddressKind = 'public' | 'private' | 'never';

/** The kind of an address, by the IANA special-purpose registries. An invalid address is `never`. */
export function addressKind(address: string): AddressKind {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return 'never'; // a zone names a network interface of this machine
  const type = family === 6 ? 'ipv6' : 'ipv4';
  if (listOf(NEVER).check(address, type)) return 'never';
  if (listOf(PRIVATE.filter(([network]) => isIP(network) === family)).check(address, type)) return 'private';
  // Only this part of IPv6 is allocated; the rest embeds IPv4 in many forms, which rules about hosts would not
  // recognise.
  return family === 4 || listOf([['2000::', 3]]).check(address, type) ? 'public' : 'never';
}

type Networks = ReadonlyArray<readonly [network: string, bits: number]>;

const PRIVATE: Networks = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128], // loopback
  ['fc00::', 7],
];

const NEVER: Networks = [
  ['0.0.0.0', 8], // this host, on some systems
  ['100.100.100.200', 32], // metadata of a cloud
  ['168.63.129.16', 32], // services of a cloud
  ['169.254.0.0', 16], // link-local: metadata of most clouds
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24], // 6to4 relays
  ['192.175.48.0', 24],
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 3], // multicast, reserved, broadcast
  ['2001::', 23], // Teredo, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['2620:4f:8000::', 48],
  ['3fff::', 20], // documentation
  ['fd00:ec2::', 32], // metadata of a cloud
  ['fd20:ce::', 32], // metadata of another
];

function listOf(networks: Networks): BlockList {
  const list = new BlockList();
  for (const [network, bits] of networks) list.addSubnet(network, bits, network.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}

/** Whether a host name means this machine. */
export const isLoopbackName = (host: string): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(host);
