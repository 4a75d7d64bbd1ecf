// Edits the servers in a file: the user's own, the project's `.mcp.json`, or the user's file for this project.
import { lstat, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf } from '../../platform/error-code.js';
import { writeFileAtomically } from '../../platform/files/atomic-write.js';
import { withLock } from '../../platform/files/private-file.js';
import { editSettings } from '../../settings/edit-file.js';
import { EditRefused, editedJson, lockOf } from '../../settings/edit-json.js';
import { settingsOptions } from '../args.js';
import { oneOf } from '../one-of.js';
import { SetupProblem } from '../usage-problem.js';

export const editableScopes = ['local', 'project', 'user'] as const;

export type ServerScope = (typeof editableScopes)[number];

export function readScope(word: string | undefined): ServerScope | undefined {
  return word === undefined ? undefined : oneOf('--scope', editableScopes, word);
}

/** Undefined removes it. Returns whether there was anything to change. */
export async function editServer(
  file: 'user' | 'local' | 'project' | '.mcp.json',
  name: string,
  entry: Readonly<Record<string, unknown>> | undefined,
): Promise<boolean> {
  const options = settingsOptions();
  try {
    if (file === '.mcp.json') return await editProjectFile(name, entry, options);
    return await editSettings(file, { path: ['mcpServers', name], value: entry }, options);
  } catch (error) {
    if (error instanceof EditRefused) throw new SetupProblem(error.message);
    throw error;
  }
}

/** `.mcp.json` is shared by everyone who has the project, and other agents read it too: comments and order are kept. */
async function editProjectFile(
  name: string,
  entry: Readonly<Record<string, unknown>> | undefined,
  options: ReturnType<typeof settingsOptions>,
): Promise<boolean> {
  const path = join(resolve(options.root), '.mcp.json');
  return await withLock(lockOf(path, options), async () => {
    const before = await textOf(path);
    const after = editedJson(before ?? '', { path: ['mcpServers', name], value: entry }, '.mcp.json');
    if (after === before) return false;
    await writeFileAtomically(path, Buffer.from(after));
    return true;
  });
}

/** Through a symlink, a project could have any of the user's files changed. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    const stats = await lstat(path);
    if (stats.isFile()) return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  throw new EditRefused('.mcp.json is not a file but a link or a folder, so it was not changed. Replace it by a file.');
}
