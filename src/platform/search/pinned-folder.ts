import { codeOf } from '../error-code.js';
import { openFolder } from '../files/folder.js';
import { NotARegularFile, openForReading } from '../files/open-file.js';
import { type FileQuery, SearchFailure } from './query.js';

/**
 * Runs a search on exactly the folder or file that the query names: it is pinned by file descriptor, so that
 * replacing it with a symlink cannot redirect the search. Returns `nothing` if it may not be read.
 */
export async function withPinnedFolder<Query extends FileQuery, Answer>(
  query: Query,
  nothing: Answer,
  work: (query: Query) => Promise<Answer>,
): Promise<Answer> {
  if (process.platform !== 'linux') return await work(query); // other systems have no path for an open descriptor
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
  // By our PID and descriptor: in another process, `/proc/self` is its own.
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
