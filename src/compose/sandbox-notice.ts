import type { Session } from '../agent/session.js';

/**
 * Says once in each engine that settings turn the sandbox on where none works. Waits for the trial only where the machine
 * already looks like that; elsewhere it comes when it is known, and no request waits for it.
 */
export function createSandboxNotice(session: Session, say: (text: string) => void): () => Promise<void> {
  let isLookedFor = false;
  return async () => {
    if (isLookedFor || !session.sandbox) return;
    isLookedFor = true;
    const { mayLack, missingSandbox } = await import('../tools/bash/sandboxed.js');
    const look = async (): Promise<void> => {
      const text = await missingSandbox(session).catch(() => undefined); // the first command will fail by it, and say so
      if (text !== undefined) say(text);
    };
    const looked = look();
    if (mayLack(session)) await looked;
  };
}
