// What the terminal needs of a session in another process; no code.
import type { ImageBlock } from '../../contract/message.js';
import type { PermissionAnswer, PermissionMode } from '../../contract/permission.js';
import type { Answer } from '../../contract/question.js';
import type { EntryLine } from '../../host/sent-entry.js';
import type { SessionFacts } from '../../host/session-facts.js';
import type { HostState } from '../../host/session-feed.js';

export interface AttachedSession {
  readonly id: string;
  readonly root: string;
  readonly title: string;
  readonly state: HostState;
  /** When it was attached to; later ones are in the entries. Undefined with a host of an earlier version. */
  readonly facts: SessionFacts | undefined;
  /**
   * What was said so far, then what changes: the first entry of the kind `state` ends the part so far. Ends when the
   * session is closed, and rejects when the host is gone.
   */
  readonly entries: AsyncIterable<EntryLine>;
  /** Rejects with a message for the person if it can't be accepted. */
  prompt(prompt: AttachedPrompt): Promise<void>;
  /** False if it was answered or withdrawn before. */
  answer(questionId: string, answer: QuestionAnswer): Promise<boolean>;
  /** Everything that runs or waits, or one prompt. */
  interrupt(promptId?: string): Promise<void>;
  /** Rejects with a message for the person. */
  set(change: SessionChange): Promise<void>;
}

export interface AttachedPrompt {
  /** Unique in the session. */
  id: string;
  text: string;
  images?: readonly ImageBlock[];
}

export type QuestionAnswer = PermissionAnswer | readonly Answer[] | boolean;

export interface SessionChange {
  mode?: PermissionMode;
  /** "provider/name". */
  model?: string;
  title?: string;
}
