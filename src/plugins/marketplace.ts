// Marketplaces: lists of plugins with their sources.
import { join } from 'node:path';
import { isObject } from '../platform/is-object.js';
import { shownLine } from '../platform/text/shown-line.js';
import { exists, readObject } from './manifest.js';
import { nameProblem, PluginProblem } from './plugin-problem.js';
import { type PluginSource, readSource } from './plugin-source.js';

const files = ['.claude-plugin/marketplace.json', '.agents/plugins/marketplace.json'];

export interface MarketplaceEntry {
  name: string;
  description: string;
  /** Absent if it can't be used: see `problem`. */
  source?: PluginSource;
  /** Why it can't be added; a clause. */
  problem?: string;
  /** All fields, as they are written. */
  fields: Readonly<Record<string, unknown>>;
}

export interface Marketplace {
  name: string;
  folder: string;
  entries: readonly MarketplaceEntry[];
}

export const isMarketplace = (folder: string): boolean => files.some((file) => exists(join(folder, file)));

/** Throws `PluginProblem` if the folder is not a marketplace. */
export function readMarketplace(folder: string): Marketplace {
  const file = files.find((name) => exists(join(folder, name)));
  if (file === undefined) {
    throw new PluginProblem(`${folder} is not a marketplace: it has neither ${files.join(' nor ')}.`);
  }
  const { name, plugins, metadata } = readObject(folder, file);
  const problem = nameProblem(name);
  if (problem !== undefined) throw new PluginProblem(`${file} can't be used: ${problem}.`);
  if (!Array.isArray(plugins)) throw new PluginProblem(`${file} can't be used: it has no list "plugins".`);
  const base = isObject(metadata) && typeof metadata['pluginRoot'] === 'string' ? metadata['pluginRoot'] : undefined;
  return { name: String(name), folder, entries: plugins.map((entry: unknown) => readEntry(entry, base)) };
}

function readEntry(value: unknown, base: string | undefined): MarketplaceEntry {
  const fields = isObject(value) ? value : {};
  const name = shownLine(String(fields['name'] ?? ''), 64);
  const written = fields['description'];
  const description = typeof written === 'string' ? shownLine(written.replaceAll(/\s+/g, ' '), 300) : '';
  const problem = nameProblem(fields['name']);
  if (problem !== undefined) return { name, description, problem, fields };
  const source = readSource(fields['source']);
  if ('problem' in source) return { name, description, problem: shownLine(source.problem), fields };
  const isBelow = base !== undefined && source.source === 'path' && source.within && !/^\.{1,2}\//.test(source.path);
  return { name, description, source: isBelow ? { ...source, path: `${base}/${source.path}` } : source, fields };
}

/** The entry with this name. Throws `PluginProblem` if there is none, or if it can't be used. */
export function findEntry(market: Marketplace, name: string): MarketplaceEntry & { source: PluginSource } {
  const entry = market.entries.find((one) => one.name === name);
  if (!entry) {
    const known = market.entries.slice(0, 20).map((one) => one.name);
    const more = market.entries.length > known.length ? ', …' : '';
    throw new PluginProblem(`${market.name} has no plugin "${name}". It has: ${known.join(', ')}${more}.`);
  }
  const { source, problem } = entry;
  if (!source) throw new PluginProblem(`The plugin ${name} of ${market.name} can't be added: ${problem}.`);
  return { ...entry, source };
}
