import { join } from 'node:path';
import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import { resolveIn, shortPath, startsInCwd } from '../platform/files/paths.js';
import type { RipgrepOutput } from '../platform/ripgrep.js';
import { counted } from './counted.js';
import { readEffects } from './file-effect.js';
import { pathText, systemText } from './input.js';
import {
  filesNotIgnored,
  NO_VERSION_CONTROL,
  newestFirst,
  SEARCH_ARGS,
  search,
  searchRoot,
  stoppedNotice,
  withoutDot,
} from './search-root.js';
import { isMissing } from './target-file.js';

const MAX_FILES = 100; // more than this and a narrower pattern serves the model better

const description = `Find files by name pattern, newest first.
Use it when you know part of a file name. Use Grep to search inside files, LS to see what is in a directory.
Returns at most ${MAX_FILES} paths and says how many there are. Hidden files are found, files that .gitignore names are not, unless the pattern or path names their directory.`;

const input = z.strictObject({
  pattern: systemText
    .refine((text) => text !== '', 'must not be empty')
    .describe(
      'Glob pattern, for example "src/**/*.ts" or "*.{js,ts}"; without a slash it matches names in any directory',
    ),
  path: pathText.optional().describe('Directory to search. Defaults to the working directory.'),
});

interface GlobData {
  files: string[];
  total: number;
  stopped: RipgrepOutput['stopped'];
}

export const globTool = defineTool<z.output<typeof input>, GlobData>({
  name: 'Glob',
  description,
  input,
  effects: ({ pattern, path = '.' }, context) =>
    readEffects(splitPattern(pattern, path).folder, context, { tree: true }),

  async validate({ pattern, path = '.' }, context) {
    // Where the pattern leads elsewhere, the path is not looked at.
    if (splitPattern(pattern, path).folder === path) await searchRoot(path, context);
    return undefined;
  },

  async execute({ pattern, path = '.' }, context) {
    const { folder, glob } = splitPattern(pattern, path);
    const root = await searchRoot(folder, context).catch((error: unknown) => {
      // The directory is part of the pattern, so where it is missing nothing matches.
      if (folder !== path && error instanceof Error && isMissing(error.cause)) return undefined;
      throw error;
    });
    if (!root) return { files: [], total: 0, stopped: undefined };
    const args = ['--files', '--null', ...SEARCH_ARGS, `--glob=${glob}`, ...NO_VERSION_CONTROL];
    const [matching, kept] = await Promise.all([search(args, root, context), filesNotIgnored(root, context)]);
    const found = matching.text
      .split('\0')
      .filter(Boolean)
      .map(withoutDot)
      .filter((file) => kept.files.has(file) && context.mayRead(join(root.folder, file)));
    const newest = (await newestFirst(root.folder, found)).slice(0, MAX_FILES);
    const shownFolder = resolveIn(context.cwd, folder);
    return {
      files: newest.map((file) => shortPath(context.cwd, join(shownFolder, file))),
      total: found.length,
      stopped: matching.stopped ?? kept.stopped,
    };
  },

  toModel({ files, total, stopped }, { pattern }) {
    const partial = stoppedNotice(stopped);
    if (total === 0) return partial || `No file matches "${pattern}". Check the directory, or try a wider pattern.`;
    const more = total - files.length;
    const notices = [
      more > 0 ? `${total} files match, ${more} more than shown. Narrow the pattern to see them.` : '',
      partial,
    ];
    return [...files, ...notices.filter(Boolean).map((notice) => `(${notice})`)].join('\n');
  },

  displayCall: ({ pattern = '' }) => ({ title: pattern }),
  displayResult: ({ files, total }) => ({
    title: counted(total, 'file'),
    body: { type: 'list', items: files },
  }),
});

/** The directories that a pattern begins with are searched and nothing beside them; the rest is anchored there. */
function splitPattern(pattern: string, path: string): { folder: string; glob: string } {
  const parts = pattern.split('/');
  const plain = parts.findIndex((part) => /[*?[\]{}!\\]/.test(part));
  const count = plain === -1 ? parts.length - 1 : plain;
  if (count === 0) return { folder: path, glob: pattern };
  const prefix = parts.slice(0, count).join('/') || '/';
  const folder = startsInCwd(prefix) ? join(path, prefix) : prefix;
  return { folder, glob: `/${parts.slice(count).join('/')}` };
}
