// Copies a plugin into Helve's data folder. A copy gets its name when it is complete, and its name contains its hash.
import { chmod, mkdir, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomHex } from '../platform/crypto.js';
import { codeOf } from '../platform/error-code.js';
import { mkdirPrivate } from '../platform/files/mkdir-private.js';
import { abandonedFiles, removeOwnFiles } from './own-files.js';
import { ENTRY_FILE, ENTRY_FOLDER, hashOfEntries, type PluginContent, readContent } from './plugin-content.js';
import { pluginFolders } from './plugin-folders.js';
import { PluginProblem } from './plugin-problem.js';
import type { Registry } from './registry.js';

const STALE_MS = 24 * 60 * 60 * 1000; // work of another process takes minutes

export interface StagedCopy {
  /** Its name in the folder of copies. */
  copy: string;
  folder: string;
  content: PluginContent;
}

/** `name` may read the complete copy. Throws `PluginProblem` if the content can't be a plugin; then nothing is left. */
export async function stageCopy(
  from: string,
  { dataFolder, name, entry }: { dataFolder: string; name: string | ((complete: string) => string); entry?: unknown },
): Promise<StagedCopy> {
  const { copies } = pluginFolders(dataFolder);
  mkdirPrivate(copies);
  const draft = join(copies, `.new-${randomHex(9)}`);
  mkdirPrivate(draft);
  try {
    const source = await readContent(from, {
      onBytes: async (path, bytes) => {
        mkdirPrivate(dirname(join(draft, path)));
        await writeFile(join(draft, path), bytes, { flag: 'wx', mode: 0o600 });
      },
    });
    for (const { path, kind, content } of source.entries) {
      const place = join(draft, path);
      if (kind === 'folder') mkdirPrivate(place);
      else if (kind === 'program') await chmod(place, 0o700);
      else if (kind === 'link') {
        mkdirPrivate(dirname(place));
        await symlink(content, place);
      }
    }
    if (entry !== undefined) {
      await mkdir(join(draft, ENTRY_FOLDER), { mode: 0o700 });
      await writeFile(join(draft, ENTRY_FILE), `${JSON.stringify(entry, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
    }
    const content = await readContent(draft, { isCopy: true }); // of what was written, not of what was read
    const copy = `${typeof name === 'string' ? name : name(draft)}-${content.hash.slice(0, 24)}`;
    await putInPlace(draft, join(copies, copy), content.hash);
    return { copy, folder: join(copies, copy), content };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** A copy of that name is the same content, unless it was changed: then it is replaced. */
async function putInPlace(draft: string, place: string, hash: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await rename(draft, place);
      return;
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '') || attempt > 3) throw error;
    }
    const there = await readContent(place, { isCopy: true }).catch(() => undefined);
    if (there?.hash === hash) {
      const now = new Date();
      await utimes(place, now, now);
      return;
    }
    await removeFolder(place);
  }
}

/** Renamed first, so that a kill leaves no half of a copy under its name. */
export async function removeFolder(folder: string): Promise<void> {
  const aside = join(dirname(folder), `.old-${randomHex(9)}`);
  try {
    await rename(folder, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  await rm(aside, { recursive: true, force: true });
}

/** The content of a copy as it is now. Files that Python has compiled meanwhile are removed, since they are no change. */
export async function currentContent(folder: string, approved: string | undefined): Promise<PluginContent> {
  const content = await readContent(folder, { isCopy: true });
  if (content.hash === approved) return content;
  const entries = content.entries.filter(({ path }) => !/(?:^|\/)__pycache__(?:\/|$)/.test(path));
  if (hashOfEntries(entries) !== approved) return content;
  const compiled = content.entries.filter(({ path, kind }) => kind === 'folder' && /(?:^|\/)__pycache__$/.test(path));
  for (const { path } of compiled) await rm(join(folder, path), { recursive: true, force: true });
  const cleaned = await readContent(folder, { isCopy: true });
  if (cleaned.hash === approved) return cleaned;
  throw new PluginProblem(`The plugin in ${folder} changes while it is read. Nothing of it is used.`);
}

/** The name of the copy of a folder that is used with `--plugin-dir`. */
export const folderCopy = (hash: string): string => `dir-${hash.slice(0, 24)}`;

/** Removes what killed commands have left, and copies that no plugin uses any more. */
export async function sweep(dataFolder: string, registry: Registry): Promise<void> {
  const { root, copies } = pluginFolders(dataFolder);
  const used = new Set(registry.plugins.flatMap(({ copy, previous }) => [copy, previous ?? '']));
  const pinned = new Set(Object.values(registry.folders).map(folderCopy));
  const old = async (path: string): Promise<boolean> => Date.now() - (await stat(path)).mtimeMs > STALE_MS;
  const sweepIn = async (folder: string, isLeft: (name: string) => boolean): Promise<void> => {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      if (isLeft(name) && (await old(path).catch(() => false))) await rm(path, { recursive: true, force: true });
    }
  };
  await sweepIn(copies, (name) => name.startsWith('.') || !(used.has(name) || pinned.has(name)));
  await sweepIn(root, (name) => name.startsWith('.fetch-'));
  await sweepIn(join(root, 'marketplaces'), (name) => name.startsWith('.'));
  for (const path of await abandonedFiles(dataFolder, registry)) {
    if (await old(path).catch(() => false)) await removeOwnFiles([path]);
  }
}
