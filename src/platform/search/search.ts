import { globProblem } from '../text/glob-matcher.js';
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

/** Lists the files that match a query. */
export async function listFiles(asked: FileQuery, options: SearchOptions): Promise<FileList> {
  const nothing: FileList = { files: [], stopped: undefined, unreadable: [asked.file ?? '.'] };
  return await withPinnedFolder(withReadableGlobs(asked), nothing, (query) => listWithRipgrep(query, options));
}

/** Searches the contents of files. */
export async function searchText(asked: TextQuery, options: SearchOptions): Promise<TextMatches> {
  const nothing: TextMatches = { files: new Map(), stopped: undefined, unreadable: [asked.file ?? '.'] };
  return await withPinnedFolder(withReadableGlobs(asked), nothing, (query) => searchWithRipgrep(query, options));
}

const withReadableGlobs = <Query extends FileQuery>(query: Query): Query => ({
  ...query,
  globs: query.globs.map(readable),
});

function readable(glob: string): string {
  const problem = globProblem(glob.replace(/^!/, ''));
  if (problem !== undefined) throw new SearchFailure(`The glob "${glob}" can't be read: ${problem}.`);
  if (!glob.endsWith('/')) return glob;
  // A folder: everything in it, at any depth unless the glob says where.
  const folder = glob.replace(/(?<!\/)\/+$/, '');
  if (folder.startsWith('!')) return folder;
  return `${folder.includes('/') ? '' : '**/'}${folder}/**`;
}
