// What the terminal needs of a session in another process; no code.
import type { PermissionAnswer } from '../../contract/permission.js';
import type { Answer } from '../../contract/question.js';
import type { EntryLine } from '../../host/sent-entry.js';
import type { HostState } from '../../host/session-feed.js';

export interface AttachedSession {
  readonly id: string;
  readonly root: string;
  readonly title: string;
  readonly state: HostState;
  /** What was said so far, then what changes. Ends when the session is closed. */
  readonly entries: AsyncIterable<EntryLine>;
  /** Rejects with a message for the person if it can't be accepted. */
  prompt(text: string): Promise<void>;
  /** False if it was answered or withdrawn before. */
  answer(questionId: string, answer: PermissionAnswer | readonly Answer[] | boolean): Promise<boolean>;
  interrupt(): Promise<void>;
}
