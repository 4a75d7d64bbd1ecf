// What a plugin says about itself: the manifest of Claude Code, Codex or Gemini, and the entry of its marketplace.
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isObject } from '../platform/is-object.js';
import { shownLine } from '../platform/text/shown-line.js';
import { ENTRY_FILE } from './plugin-content.js';
import { nameProblem, PluginProblem } from './plugin-problem.js';

const MAX_BYTES = 1024 * 1024;

export type PluginFormat = 'claude' | 'codex' | 'gemini';

export interface Manifest {
  format: PluginFormat;
  name: string;
  version?: string;
  description: string;
  /** All fields, as they are written. */
  fields: Readonly<Record<string, unknown>>;
  /** The entry of the marketplace lists all parts (`strict: false`), so default folders are not searched. */
  isListed: boolean;
}

const files: ReadonlyArray<{ format: PluginFormat; file: string }> = [
  { format: 'claude', file: '.claude-plugin/plugin.json' },
  { format: 'codex', file: '.codex-plugin/plugin.json' },
  { format: 'gemini', file: 'gemini-extension.json' },
];

export const hasManifest = (root: string): boolean => files.some(({ file }) => exists(join(root, file)));

/** Fields of a marketplace's entry that describe parts of the plugin. */
const partFields = [
  'commands',
  'agents',
  'skills',
  'hooks',
  'mcpServers',
  'outputStyles',
  'lspServers',
  'dependencies',
];

/**
 * Reads the manifest of a plugin whose content was checked. Without one, the entry of the marketplace is the manifest,
 * or the folder's name is the plugin's.
 */
export function readManifest(root: string, entry = readEntry(root)): Manifest {
  const found = files.find(({ file }) => exists(join(root, file)));
  const own = found ? readObject(root, found.file) : undefined;
  const fields = merged(own, entry);
  const { name = own ? undefined : basename(root), version, description } = fields;
  const problem = nameProblem(name);
  if (problem !== undefined) {
    throw new PluginProblem(`${found?.file ?? 'The plugin'} can't be used: ${problem}.`);
  }
  return {
    format: found?.format ?? 'claude',
    name: String(name),
    ...(typeof version === 'string' && { version: shownLine(version, 64) }),
    description: typeof description === 'string' ? shownLine(description.replaceAll(/\s+/g, ' '), 500) : '',
    fields,
    isListed: entry?.['strict'] === false && partFields.some((field) => field in entry),
  };
}

/** With `strict: false` the entry of the marketplace says which parts there are; otherwise it adds to the manifest. */
function merged(
  own: Readonly<Record<string, unknown>> | undefined,
  entry: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  if (!entry) return own ?? {};
  if (!own) return entry;
  const parts = Object.fromEntries(partFields.flatMap((field) => (field in entry ? [[field, entry[field]]] : [])));
  const fields: Record<string, unknown> = { ...entry, ...own };
  for (const [field, value] of Object.entries(parts)) {
    fields[field] = entry['strict'] === false || own[field] === undefined ? value : [own[field], value].flat();
  }
  return { ...fields, name: entry['name'] ?? own['name'] };
}

const readEntry = (root: string): Readonly<Record<string, unknown>> | undefined =>
  exists(join(root, ENTRY_FILE)) ? readObject(root, ENTRY_FILE) : undefined;

/** A JSON object in a file of the plugin. Throws `PluginProblem`. */
export function readObject(root: string, file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    const path = join(root, file);
    const stats = statSync(path);
    if (!stats.isFile()) throw new PluginProblem(`${file} is not a file.`);
    if (stats.size > MAX_BYTES)
      throw new PluginProblem(`${file} has ${stats.size} bytes, and at most ${MAX_BYTES} are read.`);
    value = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof PluginProblem) throw error;
    const why =
      error instanceof SyntaxError ? `it is not valid JSON (${error.message})` : 'it is missing or not readable';
    throw new PluginProblem(`${file} can't be read: ${why}.`, { cause: error });
  }
  if (!isObject(value)) throw new PluginProblem(`${file} does not contain an object.`);
  return value;
}

export const exists = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // below a file
  }
};
