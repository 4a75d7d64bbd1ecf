import { join } from 'node:path';
import { describeChange } from '../../plugins/content-diff.js';
import type { PreparedPlugin } from '../../plugins/install.js';
import { readPin } from '../../plugins/pins.js';
import { type ContentEntry, readContent } from '../../plugins/plugin-content.js';
import { copyFolder, idOf, type PluginRecord } from '../../plugins/registry.js';
import { writeLine } from '../write-line.js';
import { isAtTerminal, saysYes } from './plugin-context.js';
import { pluginLines, showPlugin } from './show-plugin.js';

/** What was approved before, to show the change. */
export interface ApprovedBefore {
  /** The folder of that content; absent if it is no longer there. */
  folder?: string;
  entries: readonly ContentEntry[];
}

interface ApprovalOptions {
  yes?: boolean | undefined;
  quiet?: boolean | undefined;
  /** Shows a change without limits. */
  full?: boolean | undefined;
  /** The command that shows the change again. */
  command?: string;
}

/** Shows what a plugin would do, and what has changed since `before`; then asks. False without a terminal. */
export async function isApproved(
  { plugin, folder, content }: Pick<PreparedPlugin, 'plugin' | 'folder' | 'content'>,
  before: ApprovedBefore | undefined,
  { yes, quiet = false, full = false, command = `helve plugin enable ${plugin.id}` }: ApprovalOptions,
): Promise<boolean> {
  const out = quiet ? process.stderr : process.stdout;
  for (const line of pluginLines(await showPlugin(plugin))) await writeLine(out, line);
  if (before) {
    await writeLine(out, '  changed since it was approved:');
    const old = { folder: before.folder ?? join(folder, '.no-such-folder'), entries: before.entries };
    const change = describeChange(old, { folder, entries: content.entries }, { isFull: full });
    for (const line of change.lines) await writeLine(out, `    ${line}`);
    // Said right before the question, since the change may be long.
    if (!change.isWhole) {
      const all = full ? `The files are in ${folder}.` : `To see all of it: ${command} --full.`;
      await writeLine(out, `  (!) Not all of the change is shown. ${all}`);
    }
  }
  if (yes) return true;
  return isAtTerminal() && (await saysYes(`Use ${plugin.id}?`));
}

/** The content of a plugin's copy that was approved; undefined if it never was. */
export async function approvedBefore(
  record: PluginRecord | undefined,
  dataFolder: string,
): Promise<ApprovedBefore | undefined> {
  if (record?.approved === undefined) return undefined;
  const folder = copyFolder(dataFolder, record.copy);
  const now = await readContent(folder, { isCopy: true }).catch(() => undefined);
  if (now?.hash === record.approved) return { folder, entries: now.entries };
  return { entries: readPin(dataFolder, idOf(record)) ?? [] }; // the copy itself was changed
}
