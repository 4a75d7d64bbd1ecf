import type { Session } from '../agent/session.js';

/**
 * Reports once that settings turn on the sandbox on a machine where no sandbox works. Waits for the trial only if the machine
 * probably lacks one; otherwise no request waits, and the notice comes when the trial is done.
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
