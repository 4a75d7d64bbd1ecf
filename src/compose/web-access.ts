import type { WebAccess } from '../contract/web.js';
import type { FullEngineOptions } from './options.js';

/** The web access of tools, from the options, else from the settings. */
export function webAccess(
  { web, settings }: FullEngineOptions,
  env: Readonly<Record<string, string | undefined>>,
): WebAccess {
  if (web) return web;
  const { webFetch, webSearch } = settings?.current ?? {};
  const localHosts = webFetch?.localHosts ?? [];
  if (!webSearch) return { localHosts };
  const { provider, url, apiKeyEnv: keyVariable } = webSearch.value;
  const key = keyVariable === undefined ? undefined : env[keyVariable];
  return { localHosts, search: { provider, url, key, keyVariable } };
}
