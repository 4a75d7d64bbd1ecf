import { UserFacingError } from '../../contract/user-facing-error.js';

// Where the records of sessions are kept. A session is a set of files that only grow: its log, those of its child agents,
// its audit log, its changes of files, and its large results. A file is a sequence of bytes, so that a copy has every byte
// in its place; the position of a byte in its file is its sequence number.
//
// One process at a time may append to a session: the one that claimed it last. Each claim has a higher epoch, and an append
// with an earlier one is rejected.

/** The right to append to a session. */
export interface SessionOwner {
  readonly sessionId: string;
  readonly epoch: number;
}

export interface AppendedBytes {
  /** The path in the session, such as `session.jsonl` or `agents/a1/session.jsonl`. */
  file: string;
  /** The length of the file before. */
  position: number;
  bytes: Uint8Array;
}

export interface StoredSession {
  sessionId: string;
  epoch: number;
  writtenAt: Date;
}

export interface RecordStore {
  /** Makes the caller the owner; the owner before it can append no more. Creates a session that does not exist. */
  claim(sessionId: string): Promise<SessionOwner>;
  /**
   * Resolves once all of the bytes are stored, as safely as the store can. Rejects with `SessionLost` if another has claimed
   * the session, or it was removed, and with `WrongPosition`; then none of them are stored.
   */
  append(owner: SessionOwner, appended: readonly AppendedBytes[]): Promise<void>;
  /** The length of each file. */
  files(sessionId: string): Promise<ReadonlyMap<string, number>>;
  /** The bytes of a file from a position on, in parts. None if there is no such file. */
  read(sessionId: string, file: string, from?: number): AsyncIterable<Uint8Array>;
  sessions(): Promise<StoredSession[]>;
  /** Removes a session with all of its files. An owner can append no more. */
  remove(sessionId: string): Promise<void>;
}

/** The session has another owner now. The code that gets this must stop its work on the session at once. */
export class SessionLost extends UserFacingError {
  override readonly name = 'SessionLost';

  constructor({ sessionId, epoch }: SessionOwner) {
    super(
      `The session ${sessionId} was taken over by another process, or removed: epoch ${epoch} is no longer its latest. Nothing more is written here, and its calls are ended.`,
    );
  }
}

/** This process was silent for so long that its sessions were given to others. It must end. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';

  constructor() {
    super(
      'This worker did not report for so long that its sessions were given to others. It stops at once; start it again.',
    );
  }
}

/** The bytes do not continue their file. */
export class WrongPosition extends Error {
  override readonly name = 'WrongPosition';

  constructor({ sessionId }: SessionOwner, { file, position }: AppendedBytes) {
    super(
      `${file} of the session ${sessionId} does not end at byte ${position}, so nothing was appended there. The copy here is not the one that was stored: remove it, and the next process to take the session over makes it again.`,
    );
  }
}

/** Bytes that are stored or read at once. */
export const PART_BYTES = 1024 * 1024;

const FILE = /^(?:[\w-][\w.-]{0,200}\/){0,4}[\w-][\w.-]{0,200}$/;

/** Throws unless it is a plain path below the session's folder. */
export function assertFileName(file: string): void {
  if (!FILE.test(file)) throw new TypeError(`"${file.slice(0, 200)}" is not the name of a file of a session.`);
}
