import { codeOf } from '../error-code.js';
import { asWriteFailure, WriteFailure } from '../files/write-failure.js';
import { messageOf } from '../message-of.js';

/** The journal can't be written. No file was changed. */
export class JournalUnwritable extends WriteFailure {
  /** The reason alone. */
  get why(): string {
    return asSentence(this.cause instanceof Error ? this.cause.message : this.message);
  }
}

/** Turns a journal failure into an error of the change. A change that can't be undone is not made. */
export async function journalError(error: unknown, top: string): Promise<unknown> {
  const code = codeOf(error);
  // A lock that another process holds, or a fault of ours: another journal would not help.
  if (code === undefined || code === 'EBUSY' || error instanceof JournalUnwritable) return error;
  const told = await asWriteFailure(error, top, 'written');
  return new JournalUnwritable(
    code,
    `What the file holds could not be kept for undo, so it was not changed. ${asSentence(messageOf(told))} Another folder can be set with HELVE_HOME.`,
    { cause: told },
  );
}

export const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
