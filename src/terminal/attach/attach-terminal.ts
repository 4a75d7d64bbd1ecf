// Follows a session in another process at the terminal, until the person leaves it.
import type { Settings } from '../../settings/settings.js';
import type { AttachedSession } from './attached-session.js';

export interface AttachTerminalOptions {
  version: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Plain lines, for screen readers: nothing is overdrawn. */
  isPlain: boolean;
  /** Shown above the transcript: which session this is. */
  welcome: string;
  /** Those of the interface. */
  settings(): Promise<Settings>;
}

/** `detached`: the person has left, and the session goes on. `closed`: it was closed meanwhile. Rejects when the host is gone. */
export async function attachTerminal(
  session: AttachedSession,
  options: AttachTerminalOptions,
): Promise<'detached' | 'closed'> {
  const { needsPlainLines, runOnScreen } = await import('../screen/run-on-screen.js');
  if (needsPlainLines(options.isPlain, options.env)) {
    const { AttachPlain } = await import('./attach-plain.js');
    return await new AttachPlain(session, options).run();
  }
  const { AttachApp } = await import('./attach-app.js');
  const { env } = options;
  const { root } = session;
  return await runOnScreen({ env, root }, (screen, theme) => new AttachApp(screen, theme, session, options));
}
