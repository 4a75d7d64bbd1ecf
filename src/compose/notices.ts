// Notices for the person: the queue that they wait in, and those about the sandbox and the data folder.
import type { Session } from '../agent/session.js';
import { spareFolderOf } from '../platform/files/spare-folder.js';

/** Notices for the person. A notice without a listener is queued until there is one. */
export interface Notices {
  say(text: string): void;
  /** Passes notices to this listener from now on, beginning with the queued ones. */
  tell(to: (text: string) => void): void;
  /** Removes the listener. */
  hold(): void;
}

export function createNotices(): Notices {
  let listener: ((text: string) => void) | undefined;
  let unsaid: string[] = [];
  return {
    say(text) {
      if (listener) listener(text);
      else unsaid.push(text);
    },
    hold() {
      listener = undefined;
    },
    tell(to) {
      listener = to;
      const waiting = unsaid;
      unsaid = [];
      for (const text of waiting) to(text);
    },
  };
}

/**
 * Reports once that settings turn on the sandbox on a machine where no sandbox works. Waits for the trial only if the
 * machine probably lacks one; otherwise no request waits, and the notice comes when the trial is done.
 */
export function createSandboxNotice(session: Session, say: (text: string) => void): () => Promise<void> {
  let isLookedFor = false;
  return async () => {
    if (isLookedFor || !session.sandbox) return;
    isLookedFor = true;
    const { mayLack, missingSandbox } = await import('../tools/bash/sandboxed.js');
    const look = async (): Promise<void> => {
      const text = await missingSandbox(session).catch(() => undefined); // the first command fails for the same reason, and reports it
      if (text !== undefined) say(text);
    };
    const looked = look();
    if (mayLack(session)) await looked;
  };
}

/** Reports at the end, unless reported before, where the session is kept if it could not all be written to the data folder. */
export function createUnsavedDataNotice(
  session: { dataFolder: string; id: string; hasToldDataProblem: boolean },
  tell: (sentence: string) => void,
): () => void {
  let isReported = false;
  return () => {
    const kept = isReported || session.hasToldDataProblem ? undefined : spareFolderOf(session.dataFolder, session.id);
    if (kept === undefined) return;
    isReported = true;
    tell(
      `The data folder could not be written until the end of the session. What is missing there is kept in ${kept}, and the next start of Helve moves it to the data folder, if there is room then.`,
    );
  };
}
