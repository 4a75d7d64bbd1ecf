// A host loads parts of the program when it needs them first. Once an update or a build has replaced the files, those
// parts no longer fit the ones that it has loaded.
import { statSync } from 'node:fs';
import { packageFolder } from '../../platform/files/package-folder.js';

/** Returns a function that tells whether the program's files were replaced or removed since this call. */
export function watchProgramFiles(path = packageFolder('dist/cli.cjs')): () => boolean {
  if (path === undefined) return () => false;
  const before = stampOf(path);
  return () => stampOf(path) !== before;
}

function stampOf(path: string): string | undefined {
  const { ino, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return ino === undefined ? undefined : `${ino} ${size} ${mtimeMs}`;
}
