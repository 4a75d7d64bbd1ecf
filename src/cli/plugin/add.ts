import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { jsonText } from '../../platform/text/json-line.js';
import { withSource } from '../../plugins/acquire.js';
import {
  addMarketplace,
  commitPlugin,
  dependencyIds,
  discardPlugin,
  findCycle,
  type InstallOptions,
  type PreparedPlugin,
  prepareListed,
  preparePlugin,
  refuseClash,
} from '../../plugins/install.js';
import { isMarketplace } from '../../plugins/marketplace.js';
import { PluginProblem } from '../../plugins/plugin-problem.js';
import { type PluginSource, readSource } from '../../plugins/plugin-source.js';
import { findRecord, idOf, originOf, readRegistry } from '../../plugins/registry.js';
import { storedValues } from '../../plugins/user-options.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { approvedBefore, isApproved } from './approve.js';
import { approvedText, givenValues, installOptions, settleValues } from './plugin-context.js';

const flags = {
  yes: { type: 'boolean' },
  set: { type: 'string', multiple: true },
  ref: { type: 'string' },
  json: { type: 'boolean' },
  full: { type: 'boolean' },
  settings: { type: 'string' },
} as const;

interface AddFlags {
  yes?: boolean | undefined;
  set?: string[] | undefined;
  ref?: string | undefined;
  json?: boolean | undefined;
  full?: boolean | undefined;
}

/** Adds a plugin, with the plugins that it needs, or a marketplace. */
export async function add(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  const [word, ...more] = positionals;
  if (word === undefined || more.length > 0)
    throw new UsageProblem(
      'helve plugin add takes one plugin: a folder, OWNER/NAME or a git address. Use helve plugin add SOURCE [--yes] [--set KEY=VALUE].',
    );
  const options = await installOptions(values);
  const listed = /^([\w.-]+)@([\w.-]+)$/.exec(word);
  if (listed && !isFolder(word)) return await addListed(word, values, options);
  const source = sourceIn(word, values.ref);
  const isList = await withSource(source, options, async (folder) => isMarketplace(folder));
  return isList
    ? await addList(source, values, options)
    : await addOne(await preparePlugin(source, options), values, options);
}

const isFolder = (word: string): boolean => statSync(word, { throwIfNoEntry: false })?.isDirectory() === true;

function sourceIn(word: string, ref: string | undefined): PluginSource {
  if (isFolder(word)) return { source: 'path', path: resolve(word) };
  // Not OWNER/NAME: a mistyped path must not be looked for in the network.
  if (/^(?:\.{0,2}\/|~)|^\.{1,2}$/.test(word)) {
    throw new UsageProblem(`There is no folder "${word}". Name the folder of a plugin, OWNER/NAME, or a git address.`);
  }
  const [, repo] = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(word) ?? [];
  const source = readSource(repo === undefined ? { source: 'git', url: word, ref } : { source: 'github', repo, ref });
  if (!('problem' in source)) return source;
  throw new UsageProblem(`There is no folder "${word}", and ${source.problem}.`);
}

async function addList(source: PluginSource, { json }: AddFlags, options: InstallOptions): Promise<number> {
  const { name, entries } = await addMarketplace(source, options);
  const rows = entries.map((entry) => ({
    name: entry.name,
    description: entry.description,
    problem: entry.problem ?? null,
  }));
  if (json) await writeLine(process.stdout, jsonText({ marketplace: name, plugins: rows }));
  else {
    await writeLine(process.stdout, `The marketplace ${name} was added. It has ${entries.length} plugins:`);
    for (const { name: plugin, description, problem } of rows) {
      await writeLine(
        process.stdout,
        `  ${plugin}${problem === null ? `  ${description.slice(0, 80)}` : `  can't be added: ${problem}`}`,
      );
    }
    await writeLine(process.stdout, `To add one: helve plugin add NAME@${name}.`);
  }
  return exitCode.ok;
}

/** With the plugins that it needs, which are approved one by one, before it. */
async function addListed(word: string, values: AddFlags, options: InstallOptions): Promise<number> {
  const prepared = new Map<string, PreparedPlugin>();
  const needs = new Map<string, readonly string[]>();
  const order: string[] = [];
  const visit = async (id: string): Promise<void> => {
    if (needs.has(id)) return;
    const [name = '', market = ''] = id.split('@');
    if (market === '')
      throw new PluginProblem(
        `The plugin ${id} is needed, and no marketplace is named for it. Add it by itself first.`,
      );
    const one = await prepareListed(name, market, options);
    prepared.set(id, one);
    needs.set(id, dependencyIds(one.plugin, one.record));
    for (const next of needs.get(id) ?? []) if (!findRecord(readRegistry(options.dataFolder), next)) await visit(next);
    order.push(id);
  };
  await visit(word);
  const cycle = findCycle(needs);
  if (cycle)
    throw new PluginProblem(`${word} can't be added: its dependencies lead back to it (${cycle.join(' → ')}).`);
  let code: number = exitCode.ok;
  for (const id of order) {
    const one = prepared.get(id);
    if (one) code = Math.max(code, await addOne(one, id === word ? values : { ...values, set: [] }, options));
  }
  return code;
}

async function addOne(one: PreparedPlugin, flags: AddFlags, options: InstallOptions): Promise<number> {
  const { yes, set, json, full } = flags;
  const { dataFolder } = options;
  const id = idOf(one.record);
  const registry = readRegistry(dataFolder);
  const before = registry.plugins.find((record) => idOf(record) === id);
  refuseClash(one, options);
  const given = givenValues(set);
  const isNew = before?.approved !== one.content.hash;
  const approved =
    !isNew ||
    (await isApproved(one, await approvedBefore(before, dataFolder), {
      yes,
      quiet: json,
      full,
      command: `helve plugin update ${id}`,
    }));
  const stored = storedValues(dataFolder, { key: id, origin: originOf(one.record, registry) });
  const settled = approved ? await settleValues(id, one.plugin.options, given, stored) : { missing: [] };
  const isRecorded = await commitPlugin(one, options, { isApproved: approved, values: settled.values });
  if (!isRecorded) await discardPlugin(one, options);
  if (json)
    await writeLine(
      process.stdout,
      jsonText({ plugin: id, approved, missing: settled.missing, hash: one.content.hash }),
    );
  else await writeLine(process.stdout, outcome(id, { approved, isRecorded, isNew, missing: settled.missing }));
  return approved && settled.missing.length === 0 ? exitCode.ok : exitCode.failed;
}

interface Outcome {
  approved: boolean;
  isRecorded: boolean;
  /** Its content was not approved before. */
  isNew: boolean;
  /** Keys of required values that are not set. */
  missing: readonly string[];
}

function outcome(id: string, { approved, isRecorded, isNew, missing }: Outcome): string {
  if (!isRecorded) {
    return `${id} was not changed: the new content was not approved, and the approved one stays in use. To see the change and approve it: helve plugin update ${id}.`;
  }
  if (approved && missing.length > 0) return approvedText(id, missing);
  if (!isNew) return `${id} was added before with the same content, and stays approved.`;
  return approved
    ? `${id} was added and is used from the next session on.`
    : `${id} was added and is not used until it is approved: helve plugin enable ${id}.`;
}
