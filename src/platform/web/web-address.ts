import { ToolFailure } from '../../contract/failure.js';
import { type HostPattern, normalizeHost, parseHostPattern } from '../sandbox/allowed-hosts.js';

export const MAX_URL_CHARS = 2_000; // what browsers and servers agree on; more is data exfiltration

/**
 * Hosts of this machine or its network that a person has allowed, by `example.com`, `*.example.com`, with or without
 * `:port`.
 */
export type LocalHosts = readonly string[];

/** The problem with a URL, to continue a sentence after "the URL"; undefined if it can be fetched. */
export function addressProblem(written: string): string | undefined {
  const text = written.trim();
  if (text.length > MAX_URL_CHARS) return `must have at most ${MAX_URL_CHARS} characters`;
  if (!URL.canParse(text)) return 'must be a full URL that begins with https://';
  if (/[\0-\x20\\\x7f]/.test(text)) return 'must not hold a blank, a backslash or a control character';
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must be an http or https URL';
  if (username !== '' || password !== '') {
    return `must not hold a user name or a password, which may hide the real host (here ${hostname})`;
  }
  return normalizeHost(hostname) === undefined ? 'must have a host that is a name or an address' : undefined;
}

/**
 * The address to fetch for a URL as written. http becomes https, except for hosts that are allowed as local. Throws
 * `ToolFailure` if it can't be fetched, or hides its destination.
 */
export function webAddress(written: string, localHosts: LocalHosts): URL {
  const problem = addressProblem(written);
  if (problem !== undefined) {
    throw new ToolFailure(`${shortened(written)} was not fetched: a URL ${problem}.`, {
      advice: 'Send another one.',
      kind: 'check_refused',
    });
  }
  const url = new URL(written.trim());
  url.hash = '';
  if (url.protocol === 'http:' && !isLocalHost(url, localHosts)) url.protocol = 'https:';
  return url;
}

/** Whether a person has allowed the host as one of theirs. */
export function isLocalHost(url: URL, localHosts: LocalHosts): boolean {
  const host = normalizeHost(url.hostname);
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return localHosts
    .map(parseHostPattern)
    .some((pattern) => pattern !== undefined && host !== undefined && means(pattern, host, port));
}

function means(pattern: HostPattern, host: string, port: number): boolean {
  if (pattern.port !== undefined && pattern.port !== port) return false;
  if (pattern.kind === 'exact') return host === pattern.host;
  return pattern.kind === 'below' && host.endsWith(`.${pattern.host}`); // `*` is not accepted here
}

/** Whether both are the same site: one host and port, with or without `www.`. */
export const isSameSite = (one: URL, other: URL): boolean => siteOf(one) === siteOf(other) && one.port === other.port;

const siteOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '').replace(/^www\./, '');

export const shortened = (url: string): string => (url.length > 200 ? `${url.slice(0, 200)}…` : url);
