import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { dependsOnCwd, elidedPath, isMissing, resolveIn, shortPath } from '../platform/files/paths.js';
import type { SearchOutcome } from '../platform/search/query.js';
import { counted } from '../platform/text/counted.js';
import { readEffects } from './file-effect.js';
import { pathText, systemText } from './input.js';
import { refusal } from './refusal.js';
import {
  DatedFiles,
  leftOutOf,
  listFiles,
  nameOnOneLine,
  partialNotices,
  type SearchRoot,
  searchRoot,
} from './search-root.js';

const MAX_FILES = 100; // with more files, a narrower pattern serves the model better
const HINT_TIMEOUT_MS = 3_000; // for an extra search that only produces a hint

const description = `Find files by name, newest first, at most ${MAX_FILES}. To search inside files use Grep.
Knows *, **, ?, [abc], {a,b}, and ! in front for all others. Finds hidden files; those that .gitignore names only with include_ignored, or where pattern or path names their directory.`;

const input = z.strictObject({
  pattern: systemText.refine((text) => text !== '', 'must not be empty').describe('Without a slash: in any directory'),
  path: pathText.optional(),
  include_ignored: z.boolean().optional(),
});

type GlobInput = z.output<typeof input>;

interface GlobData {
  /** Relative to the working directory if they are below it. */
  files: string[];
  total: number;
  /** The directory that was searched. */
  searched: string;
  stopped: SearchOutcome['stopped'];
  unreadable: number;
  /** Folders that were skipped. */
  leftOut: string[];
  /** Why nothing was found, if that is known. */
  hint?: string;
}

export const globTool = defineTool<GlobInput, GlobData>({
  name: 'Glob',
  about: 'Finds files by name.',
  traits: { family: 'read', subject: ['path'], fields: ['path', 'pattern'], olderNames: ['GlobTool'] },
  description,
  input,
  effects: ({ pattern, path = '.' }, context) =>
    readEffects(splitPattern(pattern, path).folder, context, { tree: true }),

  async validate({ pattern, path = '.' }, context) {
    // If the pattern is absolute or leads elsewhere, `path` is not used.
    if (splitPattern(pattern, path).folder === path) await folderToSearch(path, context);
    return undefined;
  },

  async execute({ pattern, path = '.', include_ignored: includeIgnored = false }, context) {
    const { folder, glob } = splitPattern(pattern, path);
    const shownFolder = resolveIn(context.cwd, folder);
    const searched = elidedPath(shortPath(context.cwd, shownFolder));
    const isOfPattern = folder !== path;
    const root = await folderToSearch(folder, context).catch((error: unknown) => {
      // The directory is part of the pattern, so if it is missing, nothing matches.
      if (isOfPattern && error instanceof Error && isMissing(error.cause)) return undefined;
      throw error;
    });
    if (!root) {
      const absolute = pattern.startsWith('/') ? ' A pattern that begins with "/" is an absolute path.' : '';
      const hint = `There is no directory ${searched}.${absolute}`;
      return { files: [], total: 0, searched, stopped: undefined, unreadable: 0, leftOut: [], hint };
    }
    const leftOut = leftOutOf(root);
    const find = async (wanted: string, options: { includeIgnored: boolean; timeoutMs?: number }): Promise<Found> => {
      const query = { folder: root.folder, globs: [wanted, ...leftOut.globs], includeIgnored: options.includeIgnored };
      const inFolder = root.folder.endsWith('/') ? root.folder : `${root.folder}/`;
      const mayRead = (file: string): boolean => context.mayRead(`${inFolder}${file}`);
      const files = new DatedFiles(root.folder);
      const { stopped, unreadable } = await listFiles(query, context, {
        ...options,
        onFiles(found) {
          for (const file of found) if (mayRead(file)) files.add(file);
        },
      });
      return { files, stopped, unreadable: unreadable.filter(mayRead).length };
    };

    let found = await find(glob, { includeIgnored });
    if (found.files.count === 0 && !found.stopped && /\[[^[\]\n\r\u2028\u2029]*\]/.test(glob)) {
      // Frameworks have files named "[id].ts": if the brackets match nothing as a set, they are tried literally.
      found = await find(glob.replace(/[[\]]/g, '\\$&'), { includeIgnored });
    }
    const { files, stopped, unreadable } = found;
    const newest = files.newestFirst().slice(0, MAX_FILES);
    const hint =
      files.count === 0 && !stopped
        ? await hintFor(glob, { root, includeIgnored, mayRead: context.mayRead, find })
        : undefined;
    return {
      files: newest.map((file) => nameOnOneLine(shortPath(context.cwd, join(shownFolder, file)))),
      total: files.count,
      searched,
      stopped,
      unreadable,
      leftOut: leftOut.names,
      ...(hint !== undefined && { hint }),
    };
  },

  toModel({ files, total, searched, hint, ...outcome }, { pattern }) {
    const partial = partialNotices(outcome);
    if (total === 0) {
      const nothing = outcome.stopped
        ? 'Nothing was found before the search ended.'
        : `No file matches "${pattern}" in ${searched === '.' ? 'the working directory' : searched}. ${hint ?? 'Check the directory, or try a wider pattern.'}`;
      return [nothing, ...partial.map((notice) => `(${notice})`)].join('\n');
    }
    const more = total - files.length;
    const notices = [
      more > 0 ? `${total} files match, ${more} more than shown. Narrow the pattern to see them.` : '',
      ...partial,
    ];
    return [...files, ...notices.filter(Boolean).map((notice) => `(${notice})`)].join('\n');
  },

  displayCall: (asked) => ({ title: subject(asked), looks: 'find' }),
  displayResult: ({ files, total }, asked) => ({
    title: subject(asked),
    facts: [counted(total, 'file')],
    looks: 'find',
    body: { type: 'list', items: files },
  }),
});

const subject = ({ pattern = '', path }: Partial<GlobInput>): string => (path ? `${pattern} in ${path}` : pattern);

interface Found {
  files: DatedFiles;
  stopped: SearchOutcome['stopped'];
  unreadable: number;
}

/** Only the directory that a pattern starts with is searched; the rest of the pattern is anchored there. */
function splitPattern(pattern: string, path: string): { folder: string; glob: string } {
  const parts = pattern.split('/');
  const plain = parts.findIndex((part) => /[*?[\]{}!\\]/.test(part));
  const count = plain === -1 ? parts.length - 1 : plain;
  if (count === 0) return { folder: path, glob: pattern };
  const prefix = parts.slice(0, count).join('/') || '/';
  const folder = dependsOnCwd(prefix) ? join(path, prefix) : prefix;
  const rest = parts.slice(count).join('/');
  return { folder, glob: rest === '' ? '**' : `/${rest}` };
}

async function folderToSearch(path: string, context: Pick<ToolContext, 'cwd' | 'approved'>): Promise<SearchRoot> {
  const root = await searchRoot(path, context);
  if (root.file === undefined) return root;
  const cause = Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  throw refusal(`${elidedPath(path)} is a file, not a directory.`, {
    advice: 'Leave path out, or give the directory.',
    cause: cause,
  });
}

interface Missed {
  root: SearchRoot;
  includeIgnored: boolean;
  mayRead: ToolContext['mayRead'];
  find: (glob: string, options: { includeIgnored: boolean; timeoutMs: number }) => Promise<Found>;
}

async function hintFor(glob: string, { root, includeIgnored, mayRead, find }: Missed): Promise<string | undefined> {
  const named = join(root.folder, glob);
  const stats = mayRead(named) ? await stat(named).catch(() => undefined) : undefined; // the pattern may also be a literal path
  if (stats?.isDirectory()) return 'It is a directory, and only files are found: add "/**" to find those in it.';
  if (includeIgnored) return undefined;
  const { files, stopped } = await find(glob, { includeIgnored: true, timeoutMs: HINT_TIMEOUT_MS });
  if (files.count === 0) return undefined;
  const count = `${stopped ? 'at least ' : ''}${counted(files.count, 'file')}`;
  return `Ignore files such as .gitignore hide ${count} that would match: set include_ignored to find them.`;
}
