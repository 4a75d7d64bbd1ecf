import type { SessionPort } from '../../contract/tool-context.js';

/** Ends what killed sessions have left running, once in a session; keep it with `session.own`. Never fails. */
export async function reapedLeftovers({ dataFolder }: Pick<SessionPort, 'dataFolder'>): Promise<void> {
  try {
    const { reapLeftovers } = await import('./reap.js');
    await reapLeftovers(dataFolder);
  } catch {
    // the next start tries again
  }
}
