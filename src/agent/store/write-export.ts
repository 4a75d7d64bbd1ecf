import { open } from 'node:fs/promises';
import { codeOf } from '../../platform/error-code.js';
import { asWriteFailure } from '../../platform/files/write-failure.js';
import { messageOf } from '../../platform/message-of.js';
import { SessionProblem } from './session-problem.js';

/** Writes the pieces to a new private file. An existing file is not overwritten. */
export async function writeExport(path: string, pieces: Iterable<string>): Promise<void> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      for (const piece of pieces) await file.write(piece);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      throw new SessionProblem(
        'unwritable',
        `${path} already exists, and was not overwritten. Choose another name, or remove it first.`,
      );
    }
    const reason = await asWriteFailure(error, path, 'written');
    throw new SessionProblem('unwritable', messageOf(reason), { cause: error });
  }
}
