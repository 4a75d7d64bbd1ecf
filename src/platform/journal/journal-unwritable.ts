import { asWriteFailure, codeOf, WriteFailure } from '../files/write-failure.js';
import { messageOf } from '../message-of.js';

/** The journal can't be written, for a reason that may be temporary. No file was changed. */
export class JournalUnwritable extends WriteFailure {
  /** The reason alone. */
  get why(): string {
    return asSentence(this.cause instanceof Error ? this.cause.message : this.message);
  }
}

const passingReasons = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'ENOTDIR', 'ENOENT'];

/** Turns a journal failure into an error of the change. A change that can't be undone is not made. */
export async function journalError(error: unknown, top: string): Promise<unknown> {
  if (error instanceof WriteFailure) return error;
  const told = await asWriteFailure(error, top, 'written');
  const why = messageOf(told);
  const code = codeOf(error) ?? 'EIO';
  const Kind = passingReasons.includes(code) ? JournalUnwritable : WriteFailure;
  return new Kind(
    code,
    `What the file holds could not be kept for undo, so it was not changed. ${asSentence(why)} Another folder can be set with HELVE_HOME.`,
    { cause: told },
  );
}

export const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
