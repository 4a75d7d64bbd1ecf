import { openFolder } from '../files/folder.js';
import { NotARegularFile, openForReading } from '../files/open-file.js';
import { codeOf } from '../files/write-failure.js';
import { type FileQuery, SearchFailure } from './query.js';

/**
 * Runs a search on the very folder or file that the query names. Whoever puts a link in its place from now on has what
 * the link leads to searched by nobody. `nothing` is the answer where it may not be read.
 */
export async function withPinnedFolder<Query extends FileQuery, Answer>(
  query: Query,
  nothing: Answer,
  work: (query: Query) => Promise<Answer>,
): Promise<Answer> {
  if (process.platform !== 'linux') return await work(query); // elsewhere what is open has no name
  let open: Awaited<ReturnType<typeof pin>>;
  try {
    open = await pin(query);
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(codeOf(error) ?? '')) return nothing;
    throw replaced(query, error);
  }
  try {
    return await work({ ...query, opened: open.names });
  } finally {
    open.close();
  }
}

async function pin({ folder, file }: FileQuery) {
  if (file === undefined) {
    const { anchor, close } = openFolder(folder);
    return { close, names: { folder: anchor } };
  }
  const { handle } = await openForReading(folder.endsWith('/') ? `${folder}${file}` : `${folder}/${file}`);
  // By our number: another program has other things open.
  return { close: () => handle.close(), names: { folder: `/proc/${process.pid}/fd`, file: `${handle.fd}` } };
}

function replaced({ folder, file }: FileQuery, error: unknown): unknown {
  const isOfSystem = codeOf(error) !== undefined && !['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '');
  if (!(error instanceof Error) || (isOfSystem && !(error instanceof NotARegularFile))) return error;
  const what = file === undefined ? folder : `${folder}/${file}`;
  return new SearchFailure(`${what} was replaced or removed while it was opened, so it was left alone.`, {
    cause: error,
  });
}
