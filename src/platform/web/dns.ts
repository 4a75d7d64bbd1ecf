import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Resolves names to addresses. */
export type Lookup = (host: string) => Promise<LookupAddress[]>;

/** All addresses of a name, by the system's resolver. */
export const systemLookup: Lookup = async (host) => {
  const { lookup } = await import('node:dns/promises');
  return await lookup(host, { all: true });
};

/** A lookup function for a connection that returns the checked addresses for every query. */
export function lookupOf(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else if (first) callback(null, first.address, first.family);
  };
}
