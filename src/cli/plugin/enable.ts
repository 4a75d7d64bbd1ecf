import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { realPathSync } from '../../platform/files/paths.js';
import { jsonText } from '../../platform/text/json-line.js';
import { approveFolder, changeRecord, type InstallOptions, loadStaged } from '../../plugins/install.js';
import { loadPlugin } from '../../plugins/load-plugin.js';
import { hasManifest } from '../../plugins/manifest.js';
import { writePin } from '../../plugins/pins.js';
import { readContent } from '../../plugins/plugin-content.js';
import { folderKey } from '../../plugins/plugin-folders.js';
import {
  copyFolder,
  findFolder,
  findRecord,
  folderOrigin,
  idOf,
  originOf,
  type PluginRecord,
  readRegistry,
} from '../../plugins/registry.js';
import { isEnabled } from '../../plugins/session-plugins.js';
import { currentContent, folderCopy, stageCopy } from '../../plugins/stage-copy.js';
import { storedValues } from '../../plugins/user-options.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { type ApprovedBefore, approvedBefore, isApproved } from './approve.js';
import { approvedText, givenValues, installOptions, recordNamed, settleValues } from './plugin-context.js';
import { revoke } from './remove.js';

interface EnableFlags {
  yes?: boolean | undefined;
  set?: string[] | undefined;
  json?: boolean | undefined;
  full?: boolean | undefined;
}

/** Switches a plugin on, and approves its present content; also a folder for `--plugin-dir`. */
export async function enable(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    yes: { type: 'boolean' },
    set: { type: 'string', multiple: true },
    json: { type: 'boolean' },
    full: { type: 'boolean' },
    settings: { type: 'string' },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new UsageProblem('Use helve plugin enable NAME [--yes] [--set KEY=VALUE].');
  const options = await installOptions(values);
  const isAdded = findRecord(readRegistry(options.dataFolder), name) !== undefined;
  const isFolder = !isAdded && statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
  const missing = isFolder ? await enableFolder(name, values, options) : await enableAdded(name, values, options);
  const isUsed = missing?.length === 0;
  if (values.json) await writeLine(process.stdout, jsonText({ plugin: name, enabled: isUsed, missing: missing ?? [] }));
  else if (missing) await writeLine(process.stdout, approvedText(name, missing));
  else
    await writeLine(
      process.stdout,
      `${name} is not used: it was not approved. Add --yes to approve it without a question.`,
    );
  return isUsed ? exitCode.ok : exitCode.failed;
}

/** Returns the keys of required values that it still lacks; undefined if it was not approved. */
export async function enableAdded(
  name: string,
  flags: EnableFlags,
  options: InstallOptions,
): Promise<readonly string[] | undefined> {
  const { dataFolder } = options;
  const registry = readRegistry(dataFolder);
  const record = recordNamed(registry, name);
  const id = idOf(record);
  const folder = copyFolder(dataFolder, record.copy);
  const content = await currentContent(folder, record.approved);
  const plugin = loadStaged(folder, id, options);
  const given = givenValues(flags.set);
  if (content.hash !== record.approved) {
    const before = await approvedBefore(record, dataFolder);
    if (!(await isApproved({ plugin, folder, content }, before, { ...flags, quiet: flags.json }))) return undefined;
  }
  const stored = storedValues(dataFolder, { key: id, origin: originOf(record, registry) });
  const { values, missing } = await settleValues(id, plugin.options, given, stored);
  const approved = { enabled: true, approved: content.hash };
  await changeRecord(dataFolder, id, (before) => ({ ...before, ...approved }), values);
  await writePin(dataFolder, id, content);
  await reportSettings({ ...record, enabled: true }, options, true);
  return missing;
}

/** The same for a folder of `--plugin-dir`. */
export async function enableFolder(
  written: string,
  flags: EnableFlags,
  options: InstallOptions,
): Promise<readonly string[] | undefined> {
  const { dataFolder, workspace } = options;
  const real = realPathSync(resolve(written));
  // What is shown, hashed and run is one copy: the folder itself may change at any time.
  const { folder, content } = await stageCopy(real, { dataFolder, name: 'dir' });
  const named = hasManifest(folder) ? {} : { entry: { name: basename(real) } };
  const plugin = loadPlugin({ root: folder, data: '', workspace, isUnfilled: true, ...named });
  const approved = readRegistry(dataFolder).folders[real];
  if (approved !== content.hash) {
    const before = approved === undefined ? undefined : await snapshotOf(approved, dataFolder);
    if (
      !(await isApproved({ plugin, folder, content }, before, {
        ...flags,
        quiet: flags.json,
        command: `helve plugin enable ${written}`,
      }))
    )
      return undefined;
  }
  const stored = storedValues(dataFolder, { key: folderKey(real), origin: folderOrigin(real) });
  const { values, missing } = await settleValues(written, plugin.options, givenValues(flags.set), stored);
  await approveFolder(dataFolder, real, { hash: content.hash, values });
  return missing;
}

/** The copy of a folder's approved content. */
async function snapshotOf(hash: string, dataFolder: string): Promise<ApprovedBefore> {
  const folder = copyFolder(dataFolder, folderCopy(hash));
  const content = await readContent(folder, { isCopy: true }).catch(() => undefined);
  return { folder, entries: content?.hash === hash ? content.entries : [] };
}

/** Switches a plugin off. A folder has nothing but its approval, which is taken back. */
export async function disable(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' }, settings: { type: 'string' } });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new UsageProblem('Use helve plugin disable NAME, or helve plugin disable DIR.');
  const options = await installOptions(values);
  const registry = readRegistry(options.dataFolder);
  const folder = findRecord(registry, name) ? undefined : findFolder(registry, name);
  if (folder !== undefined) return await revoke(options.dataFolder, folder, values.json);
  const record = recordNamed(registry, name);
  await changeRecord(options.dataFolder, idOf(record), (before) => ({ ...before, enabled: false }));
  if (values.json) await writeLine(process.stdout, jsonText({ plugin: idOf(record), enabled: false }));
  else await writeLine(process.stdout, `${idOf(record)} is no longer used, from the next session on.`);
  await reportSettings({ ...record, enabled: false }, options, false);
  return exitCode.ok;
}

/** Settings may say otherwise, and take precedence. */
async function reportSettings(record: PluginRecord, { settings }: InstallOptions, wanted: boolean): Promise<void> {
  if (isEnabled(record, settings) === wanted) return;
  const origin = settings.enabledPlugins.get(idOf(record))?.origin;
  await writeLine(
    process.stderr,
    `helve: "enabledPlugins" of ${origin?.file} says otherwise about ${idOf(record)}, and comes first.`,
  );
}
