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
import { copyFolder, findFolder, findRecord, idOf, type PluginRecord, readRegistry } from '../../plugins/registry.js';
import { isEnabled } from '../../plugins/session-plugins.js';
import { currentContent, folderCopy, stageCopy } from '../../plugins/stage-copy.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { type ApprovedBefore, approvedBefore, isApproved } from './approve.js';
import { givenValues, installOptions, recordNamed, settleValues } from './plugin-context.js';
import { revoke } from './remove.js';

interface EnableFlags {
  yes?: boolean | undefined;
  set?: string[] | undefined;
  json?: boolean | undefined;
}

/** Switches a plugin on, and approves its present content; also a folder for `--plugin-dir`. */
export async function enable(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    yes: { type: 'boolean' },
    set: { type: 'string', multiple: true },
    json: { type: 'boolean' },
    settings: { type: 'string' },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new UsageProblem('Use helve plugin enable NAME [--yes] [--set KEY=VALUE].');
  const options = await installOptions(values);
  const isAdded = findRecord(readRegistry(options.dataFolder), name) !== undefined;
  const isFolder = !isAdded && statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
  const approved = isFolder ? await enableFolder(name, values, options) : await enableAdded(name, values, options);
  if (values.json) await writeLine(process.stdout, jsonText({ plugin: name, enabled: approved }));
  else {
    const result = approved
      ? 'is used from the next session on'
      : 'is not used: it was not approved. Add --yes to approve it without a question';
    await writeLine(process.stdout, `${name} ${result}.`);
  }
  return approved ? exitCode.ok : exitCode.failed;
}

/** Returns whether it is approved. Shows it first, unless its content was approved before. */
export async function enableAdded(name: string, flags: EnableFlags, options: InstallOptions): Promise<boolean> {
  const { dataFolder } = options;
  const record = recordNamed(readRegistry(dataFolder), name);
  const id = idOf(record);
  const folder = copyFolder(dataFolder, record.copy);
  const content = await currentContent(folder, record.approved);
  const plugin = loadStaged(folder, id, options);
  const given = givenValues(flags.set);
  if (content.hash !== record.approved) {
    const before = await approvedBefore(record, dataFolder);
    if (!(await isApproved({ plugin, folder, content }, before, { yes: flags.yes, quiet: flags.json }))) return false;
  }
  await settleValues({ id }, plugin.options, given, dataFolder);
  await changeRecord(dataFolder, id, (before) => ({ ...before, enabled: true, approved: content.hash }));
  await writePin(dataFolder, id, content);
  await reportSettings({ ...record, enabled: true }, options, true);
  return true;
}

/** Returns whether it is approved. */
export async function enableFolder(written: string, flags: EnableFlags, options: InstallOptions): Promise<boolean> {
  const { dataFolder, workspace } = options;
  const real = realPathSync(resolve(written));
  // What is shown, hashed and run is one copy: the folder itself may change at any time.
  const { folder, content } = await stageCopy(real, { dataFolder, name: 'dir' });
  const named = hasManifest(folder) ? {} : { entry: { name: basename(real) } };
  const plugin = loadPlugin({ root: folder, data: '', workspace, ...named });
  const approved = readRegistry(dataFolder).folders[real];
  if (approved !== content.hash) {
    const before = approved === undefined ? undefined : await snapshotOf(approved, dataFolder);
    if (!(await isApproved({ plugin, folder, content }, before, { yes: flags.yes, quiet: flags.json }))) return false;
  }
  await settleValues({ id: written, key: folderKey(real) }, plugin.options, givenValues(flags.set), dataFolder);
  await approveFolder(dataFolder, real, content.hash);
  return true;
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
