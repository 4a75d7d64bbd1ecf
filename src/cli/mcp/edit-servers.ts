// Changes the servers that are written down in a file: the person's own, the project's `.mcp.json`, or the one that this
// person has for the project.
import { lstat, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import { sha256 } from '../../platform/crypto.js';
import { writeFileAtomically } from '../../platform/files/atomic-write.js';
import { dataFolderOf } from '../../platform/files/paths.js';
import { codeOf } from '../../platform/files/write-failure.js';
import { parseDocument } from '../../settings/document.js';
import { EditRefused, editSettings } from '../../settings/edit-file.js';
import { withLock } from '../../settings/private-file.js';
import { UsageProblem } from '../usage-problem.js';
import { settingsOptions } from './known-servers.js';

export const editableScopes = ['local', 'project', 'user'] as const;

export type ServerScope = (typeof editableScopes)[number];

export function readScope(word: string | undefined): ServerScope | undefined {
  const scope = editableScopes.find((known) => known === word);
  if (scope || word === undefined) return scope;
  throw new UsageProblem(`--scope takes ${editableScopes.join(', ')}, but was "${word}".`);
}

/** Undefined: away with it. Says whether there was anything to change. */
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
    if (error instanceof EditRefused) throw new UsageProblem(error.message);
    throw error;
  }
}

/** `.mcp.json` is for everybody who has the project, and other agents read it too: comments and order stay. */
async function editProjectFile(
  name: string,
  entry: Readonly<Record<string, unknown>> | undefined,
  options: ReturnType<typeof settingsOptions>,
): Promise<boolean> {
  const path = join(resolve(options.root), '.mcp.json');
  const lock = join(dataFolderOf(options), 'locks', `settings-${sha256().update(path).digest('hex').slice(0, 40)}`);
  return await withLock(lock, async () => {
    const before = await textOf(path);
    const after = edited(before ?? '', name, entry);
    if (after === before) return false;
    await writeFileAtomically(path, Buffer.from(after));
    return true;
  });
}

/** Through a link, a project could have any file of the person changed. */
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

function edited(text: string, name: string, entry: Readonly<Record<string, unknown>> | undefined): string {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(mark.length).trim() === '' ? '{}\n' : text.slice(mark.length);
  const parsed = parseDocument(body);
  if ('problem' in parsed) {
    const { line, column } = parsed.at;
    throw new EditRefused(
      `.mcp.json:${line}:${column}: not valid JSON: ${parsed.problem}. Nothing was written. Correct it there first.`,
    );
  }
  const tree = parseTree(body, [], { allowTrailingComma: true });
  const servers = tree && findNodeAtLocation(tree, ['mcpServers']);
  if (tree?.type !== 'object' || (servers && servers.type !== 'object')) {
    throw new EditRefused(
      '.mcp.json does not hold an object with servers under "mcpServers". Nothing was written. Correct it there first.',
    );
  }
  if (entry === undefined && !(tree && findNodeAtLocation(tree, ['mcpServers', name]))) return text;
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(body) ?? [];
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: body.includes('\r\n') ? '\r\n' : '\n',
  };
  return mark + applyEdits(body, modify(body, ['mcpServers', name], entry, { formattingOptions }));
}
