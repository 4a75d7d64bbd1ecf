import { globProblem } from '../text/glob-matcher.js';
import { RipgrepMissing } from './find-ripgrep.js';
import { withPinnedFolder } from './pinned-folder.js';
import {
  type FileList,
  type FileQuery,
  SearchFailure,
  type SearchOptions,
  type TextMatches,
  type TextQuery,
} from './query.js';
import { listWithRipgrep, searchWithRipgrep } from './ripgrep-query.js';

/** Lists the files that match a query: with ripgrep, or with the fallback if ripgrep is missing. */
export async function listFiles(asked: FileQuery, options: SearchOptions): Promise<FileList> {
  const nothing: FileList = { files: [], stopped: undefined, unreadable: [asked.file ?? '.'] };
  return await withPinnedFolder({ ...asked, globs: asked.globs.map(readable) }, nothing, async (query) => {
    try {
      return await listWithRipgrep(query, options);
    } catch (error) {
      if (!(error instanceof RipgrepMissing)) throw error;
      const { listBuiltIn } = await import('./built-in.js');
      const list = await listBuiltIn(query, options);
      options.onFiles?.(list.files);
      return list;
    }
  });
}

/** Searches the contents of files: with ripgrep, or with the fallback if ripgrep is missing. */
export async function searchText(asked: TextQuery, options: SearchOptions): Promise<TextMatches> {
  const nothing: TextMatches = { files: new Map(), stopped: undefined, unreadable: [asked.file ?? '.'] };
  return await withPinnedFolder({ ...asked, globs: asked.globs.map(readable) }, nothing, async (query) => {
    try {
      return await searchWithRipgrep(query, options);
    } catch (error) {
      if (!(error instanceof RipgrepMissing)) throw error;
      const { searchBuiltIn } = await import('./built-in.js');
      const found = await searchBuiltIn(query, options);
      if (query.mode === 'files_with_matches') options.onFiles?.([...found.files.keys()]);
      return found;
    }
  });
}

function readable(glob: string): string {
  const problem = globProblem(glob.replace(/^!/, ''));
  if (problem !== undefined) throw new SearchFailure(`The glob "${glob}" can't be read: ${problem}.`);
  if (!glob.endsWith('/')) return glob;
  // A folder: everything in it, at any depth unless the glob says where.
  const folder = glob.replace(/\/+$/, '');
  if (folder.startsWith('!')) return folder;
  return `${folder.includes('/') ? '' : '**/'}${folder}/**`;
}
