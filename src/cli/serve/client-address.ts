// Where clients reach the server: for the links that it prints and opens.

export interface ClientAddressOptions {
  /** Where it listens. */
  url: string;
  isBehindProxy: boolean;
  /** The names that were given with `--allowed-host`. */
  allowedHosts: readonly string[];
}

/** Behind a proxy, the address that it listens on answers no browser. */
export function clientAddress({ url, isBehindProxy, allowedHosts }: ClientAddressOptions): string {
  const [name] = allowedHosts;
  return isBehindProxy && name !== undefined ? `https://${name}` : url;
}
