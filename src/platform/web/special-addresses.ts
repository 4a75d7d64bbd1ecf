// Which addresses are of the open internet. Everything else is of this machine, of its network, or of no one: what is
// there trusts whoever can reach it, and a page must not be able to send somebody there.
import { BlockList, isIP } from 'node:net';

/**
 * `public`: of the open internet. `private`: of this machine or its network, which a person may open by naming the host.
 * `never`: services of the machine's host, and what no page can be at.
 */
export type AddressKind = 'public' | 'private' | 'never';

/** What kind of address it is, by all that is registered as special. What is no address is of the worst kind. */
export function addressKind(address: string): AddressKind {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return 'never'; // a zone names a wire of this machine
  const type = family === 6 ? 'ipv6' : 'ipv4';
  if (listOf(NEVER).check(address, type)) return 'never';
  if (listOf(PRIVATE.filter(([network]) => isIP(network) === family)).check(address, type)) return 'private';
  // Of IPv6 only this part is given out; the rest holds IPv4 in many disguises, by which no rule about a host would know it.
  return family === 4 || listOf([['2000::', 3]]).check(address, type) ? 'public' : 'never';
}

type Networks = ReadonlyArray<readonly [network: string, bits: number]>;

const PRIVATE: Networks = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // behind a carrier's translation
  ['127.0.0.0', 8], // this machine
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128], // this machine
  ['fc00::', 7],
];

const NEVER: Networks = [
  ['0.0.0.0', 8], // this machine, to some
  ['100.100.100.200', 32], // a cloud's metadata
  ['168.63.129.16', 32], // a cloud's own services
  ['169.254.0.0', 16], // link-local: the metadata of most clouds
  ['192.0.0.0', 24], // protocols
  ['192.0.2.0', 24], // examples
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24], // tunnels
  ['192.175.48.0', 24],
  ['198.18.0.0', 15], // tests of devices
  ['198.51.100.0', 24], // examples
  ['203.0.113.0', 24], // examples
  ['224.0.0.0', 3], // multicast, reserved, broadcast
  ['2001::', 23], // tunnels, identifiers
  ['2001:db8::', 32], // examples
  ['2002::', 16], // IPv4 in a tunnel
  ['2620:4f:8000::', 48],
  ['3fff::', 20], // examples
  ['fd00:ec2::', 32], // a cloud's metadata
  ['fd20:ce::', 32], // another one's
];

function listOf(networks: Networks): BlockList {
  const list = new BlockList();
  for (const [network, bits] of networks) list.addSubnet(network, bits, network.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}
