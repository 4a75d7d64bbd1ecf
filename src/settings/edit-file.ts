// Changes settings files for people: comments and formatting stay, an invalid value is not written, and a
// file is changed under a lock and written atomically.

import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Behavior } from '../contract/permission.js';
import { codeOf } from '../platform/error-code.js';
import { writeFileAtomically } from '../platform/files/atomic-write.js';
import { makeFolder } from '../platform/files/folder.js';
import { dataFolderOf, realPath } from '../platform/files/paths.js';
import { withLock, writePrivateFile } from '../platform/files/private-file.js';
import { readRegularFile } from '../platform/files/read-regular-file.js';
import { type Edit, EditRefused, editedJson, lockOf } from './edit-json.js';
import { type PlaceOptions, type SettingsPlace, settingsPlaces } from './locations.js';
import { type ReadSettingsOptions, readFiles } from './read-files.js';
import type { SettingsProblem } from './settings-problem.js';
import { approveItem } from './trust.js';

/** The files that Helve can change for a user. */
export type EditableScope = 'user' | 'project' | 'local';

/** The file that a scope means. */
export function editablePlace(scope: EditableScope, options: PlaceOptions): SettingsPlace & { path: string } {
  const name = scope === 'local' ? 'settings.local.json' : 'settings.json';
  const folder = scope === 'user' ? dataFolderOf(options) : join(resolve(options.root), '.helve');
  const place = settingsPlaces(options).find(({ path }) => path === join(folder, name));
  return { file: join(folder, name), anchor: folder, ...place, kind: scope, path: join(folder, name) };
}

/** Makes one change to a file. Says whether there was anything to change. */
export async function editSettings(scope: EditableScope, edit: Edit, options: ReadSettingsOptions): Promise<boolean> {
  const place = editablePlace(scope, options);
  return await withLock(lockOf(place.path, options), async () => {
    const before = await textOf(place, options);
    const after = editedJson(before ?? '', edit, place.file);
    if (after === before) return false;
    refuseBroken({ before: before ?? '', after }, place, options);
    await write(place, after, { isNew: before === undefined, scope });
    return true;
  });
}

/** Saves the rule of an "always" answer for this project, in `.helve/settings.local.json`. */
export async function rememberRule(rule: string, list: Behavior, options: PlaceOptions): Promise<void> {
  await editSettings('local', { path: ['permissions', list], value: rule, append: true }, options);
  if (list !== 'allow') return;
  // The person has seen exactly this rule, so it applies without trust in the folder.
  const item = { key: 'permissions.allow', value: rule };
  await approveItem(options.root, item, { dataFolder: dataFolderOf(options) });
}

/** A project's file must not be a link: through a link, a project could have any of the user's files changed. */
async function textOf({ path, kind, file }: SettingsPlace & { path: string }, { root }: PlaceOptions) {
  if (kind !== 'user') {
    const real = join(await realpath(resolve(root)), '.helve', basename(path));
    if ((await realPath(path)) !== real) {
      throw new EditRefused(
        `${file} leads through a link to ${await realPath(path)}, so it was not changed. Replace the link by a file.`,
      );
    }
  }
  try {
    return readRegularFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Existing problems are for the user to correct; nothing is added to a broken file. */
function refuseBroken(
  { before, after }: { before: string; after: string },
  place: SettingsPlace,
  options: ReadSettingsOptions,
): void {
  const known = new Set(problemsIn(before, place, options).map(withoutPlace));
  const wrong = problemsIn(after, place, options).filter((problem) => !known.has(withoutPlace(problem)));
  if (wrong.length === 0) return;
  throw new EditRefused(`Nothing was written: ${wrong.map(asOffered).join('\n')}`);
}

/** The problem with a value that was not written, so it has no line and no consequence. */
const asOffered = (problem: SettingsProblem): string =>
  withoutPlace(problem)
    .replace(
      /, so (?:the rule was ignored|helve will not start|what it refuses could get by|it is left out|it counts as)[^.]*(?=\. )/,
      '',
    )
    .replace(/(?:Fix|Correct) or remove it\.$/, 'Correct it, and set it again.');

function problemsIn(text: string, { path: _, ...place }: SettingsPlace, options: ReadSettingsOptions) {
  const [checked] = readFiles([{ ...place, text }], options);
  return checked?.problems.filter(({ severity }) => severity !== 'warning') ?? [];
}

const withoutPlace = ({ message }: SettingsProblem): string => message.replace(/^.*?:\d+(?::\d+)?: /, '');

async function write(
  { path }: { path: string },
  text: string,
  { isNew, scope }: { isNew: boolean; scope: EditableScope },
): Promise<void> {
  // A project's file is for everyone who has the project; the others are the user's own.
  if (isNew && scope !== 'project') {
    if (scope === 'local') await makeFolder(await realPath(dirname(path)));
    return await writePrivateFile(path, text);
  }
  await makeFolder(await realPath(dirname(path)));
  await writeFileAtomically(path, Buffer.from(text));
}
