import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { realPathSync } from '../../platform/files/paths.js';
import { messageOf } from '../../platform/message-of.js';
import { jsonText } from '../../platform/text/json-line.js';
import { withSource } from '../../plugins/acquire.js';
import { type InstallOptions, loadStaged } from '../../plugins/install.js';
import { loadPlugin } from '../../plugins/load-plugin.js';
import { hasManifest } from '../../plugins/manifest.js';
import { isMarketplace, type MarketplaceEntry, readMarketplace } from '../../plugins/marketplace.js';
import { readContent } from '../../plugins/plugin-content.js';
import { copyFolder, idOf, readRegistry } from '../../plugins/registry.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { installOptions, recordNamed } from './plugin-context.js';
import { pluginLines, type ShownPlugin, showPlugin } from './show-plugin.js';

const flags = { json: { type: 'boolean' }, settings: { type: 'string' } } as const;

/** Shows the parts of an added plugin. */
export async function details(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageProblem('Use helve plugin details NAME.');
  const options = await installOptions(values);
  const record = recordNamed(readRegistry(options.dataFolder), name);
  const folder = copyFolder(options.dataFolder, record.copy);
  const { hash } = await readContent(folder, { isCopy: true });
  const shown = await showPlugin(loadStaged(folder, idOf(record), options));
  const state = { approved: record.approved ?? null, hash, folder };
  if (values.json) await writeLine(process.stdout, jsonText({ ...shown, ...state }));
  else {
    for (const line of pluginLines(shown)) await writeLine(process.stdout, line);
    const approval =
      record.approved === hash
        ? 'approved'
        : record.approved === undefined
          ? 'not approved'
          : 'changed since it was approved';
    await writeLine(process.stdout, `  files: ${folder}\n  content: ${hash.slice(0, 16)}, ${approval}`);
  }
  return exitCode.ok;
}

type Finding = { name: string } & ({ plugin: ShownPlugin } | { problem: string });

/** Checks a folder without adding it: a plugin, or every plugin of a marketplace that is in its folder. */
export async function validate(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  const [written, ...more] = positionals;
  if (written === undefined || more.length > 0) throw new UsageProblem('Use helve plugin validate DIR.');
  if (!statSync(written, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageProblem(`There is no folder "${written}".`);
  const folder = realPathSync(resolve(written));
  const options = await installOptions(values);
  const findings = isMarketplace(folder)
    ? await Promise.all(readMarketplace(folder).entries.map((entry) => checkEntry(entry, folder, options)))
    : [await check(folder, basename(folder), options)];
  if (values.json) await writeLine(process.stdout, jsonText(findings));
  else {
    for (const finding of findings) {
      const lines =
        'plugin' in finding ? pluginLines(finding.plugin) : [`${finding.name}: can't be used. ${finding.problem}`];
      for (const line of lines) await writeLine(process.stdout, line);
    }
  }
  return findings.some((finding) => 'problem' in finding) ? exitCode.failed : exitCode.ok;
}

async function checkEntry(
  { name, source, problem, fields }: MarketplaceEntry,
  market: string,
  options: InstallOptions,
): Promise<Finding> {
  if (!source) return { name, problem: `It can't be added: ${problem}.` };
  if (source.source === 'git') return { name, problem: 'It is in a repository of its own, which was not fetched.' };
  try {
    const { source: _, ...entry } = fields;
    return await withSource(
      source,
      { ...options, within: market },
      async (folder) => await check(folder, name, options, entry),
    );
  } catch (error) {
    return { name, problem: messageOf(error) };
  }
}

async function check(
  folder: string,
  name: string,
  { workspace }: InstallOptions,
  entry?: Readonly<Record<string, unknown>>,
): Promise<Finding> {
  try {
    await readContent(folder);
    const given = entry ?? (hasManifest(folder) ? undefined : { name });
    const plugin = loadPlugin({ root: folder, data: '', workspace, isUnfilled: true, ...(given && { entry: given }) });
    return { name, plugin: await showPlugin(plugin) };
  } catch (error) {
    return { name, problem: messageOf(error) };
  }
}
