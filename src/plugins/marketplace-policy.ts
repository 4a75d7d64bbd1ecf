// What administrators permit: `strictKnownMarketplaces` and `blockedMarketplaces`.
import { resolve } from 'node:path';
import { isInside, realPathSync } from '../platform/files/paths.js';
import type { Settings } from '../settings/settings.js';
import { type PluginSource, readSource } from './plugin-source.js';

type Policy = Pick<Settings, 'strictKnownMarketplaces' | 'blockedMarketplaces'>;

/** Why plugins of this source are not used; undefined if they are. `source` is that of the marketplace, if there is one. */
export function whyNotPermitted(source: PluginSource, policy: Policy): string | undefined {
  const { strictKnownMarketplaces: strict, blockedMarketplaces: blocked } = policy;
  if (blocked?.value.some((entry) => matches(source, entry, 'blocked'))) {
    return `${blocked.origin.file} blocks its source ("blockedMarketplaces")`;
  }
  if (strict && !strict.value.some((entry) => matches(source, entry, 'permitted'))) {
    return `${strict.origin.file} permits only certain marketplaces ("strictKnownMarketplaces"), and its source is not among them`;
  }
  return undefined;
}

/** An entry that permits must name the source exactly; one that blocks also covers what may be the same repository. */
function matches(
  source: PluginSource,
  entry: Readonly<Record<string, unknown>>,
  purpose: 'permitted' | 'blocked',
): boolean {
  if (entry['source'] === 'hostPattern') return matchesHost(source, entry['hostPattern'], purpose);
  if (entry['source'] === 'pathPattern') return matchesPath(source, entry['pathPattern'], purpose);
  const named = readSource(entry);
  if ('problem' in named) return false;
  if (named.source === 'path' || source.source === 'path') {
    if (named.source !== 'path' || source.source !== 'path') return false;
    const [listed, used] = [realOf(named.path), realOf(source.path)];
    return purpose === 'blocked' ? isInside(listed, used) : listed === used;
  }
  if (repositoryOf(named.url) !== repositoryOf(source.url)) return false;
  if (purpose === 'blocked') return true;
  return (
    (named.ref === undefined || named.ref === source.ref) && (named.path === undefined || named.path === source.path)
  );
}

function matchesHost(source: PluginSource, pattern: unknown, purpose: 'permitted' | 'blocked'): boolean {
  const host = source.source === 'git' ? hostOf(source.url) : undefined;
  return host !== undefined && matchesPattern(pattern, host, purpose);
}

function matchesPath(source: PluginSource, pattern: unknown, purpose: 'permitted' | 'blocked'): boolean {
  return source.source === 'path' && matchesPattern(pattern, realOf(source.path), purpose);
}

/** A pattern that is not understood permits nothing and blocks everything of its kind. */
function matchesPattern(pattern: unknown, text: string, purpose: 'permitted' | 'blocked'): boolean {
  try {
    if (typeof pattern !== 'string') throw new TypeError('no pattern');
    return new RegExp(pattern).test(text);
  } catch {
    return purpose === 'blocked';
  }
}

const realOf = (path: string): string => {
  try {
    return realPathSync(resolve(path));
  } catch {
    return resolve(path);
  }
};

function hostOf(url: string): string | undefined {
  const [, host] = /^[\w.-]+@([\w.-]+):/.exec(url) ?? [];
  return (host ?? URL.parse(url)?.hostname)?.toLowerCase();
}

/** Host and path, whatever the transport: `git@host:a/b` and `https://host/a/b.git` are one repository. */
function repositoryOf(url: string): string {
  const [, host, rest] = /^[\w.-]+@([\w.-]+):(.*)$/.exec(url) ?? [];
  const address = host === undefined ? URL.parse(url) : undefined;
  const path = rest ?? address?.pathname ?? url;
  return `${host ?? address?.hostname ?? ''}/${path
    .replace(/^\/+/, '')
    .replace(/\.git\/?$/, '')
    .replace(/(?<!\/)\/+$/, '')}`.toLowerCase();
}
