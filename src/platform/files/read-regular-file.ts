import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** What a person passes in by the shell, as `<(command)` or `-`: these are meant to be waited for. */
const PASSED_IN = /^\/(dev\/(fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/;

/**
 * The text of a file that people write: settings, models, schemas, servers. To open a pipe or a device that lies in its
 * place could wait forever, so anything but a file is an error.
 */
export function readRegularFile(path: string): string {
  if (PASSED_IN.test(path)) return readFileSync(path, 'utf8');
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw new Error('it is a folder');
    if (!stats.isFile()) throw new Error('it is not a file');
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
