// Follows a session in another process at the terminal, until the person leaves it.
import { basename } from 'node:path';
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
  const { env } = options;
  if (options.isPlain || env['HELVE_SCREEN_READER'] === '1' || env['TERM'] === 'dumb') {
    const { AttachPlain } = await import('./attach-plain.js');
    return await new AttachPlain(session, options).run();
  }
  const { ProcessTerminal } = await import('@earendil-works/pi-tui');
  const { Screen } = await import('../screen/screen.js');
  const { guardTerminal } = await import('../screen/terminal-guard.js');
  const { chooseTheme, supportsLinks, Theme } = await import('../screen/theme.js');
  const { WindowTitle } = await import('../screen/window-title.js');
  const { AttachApp } = await import('./attach-app.js');
  const screen = new Screen(new ProcessTerminal());
  const write = (text: string): void => screen.tui.terminal.write(text);
  screen.title = new WindowTitle({ write, env, folder: basename(session.root) });
  const theme = new Theme(chooseTheme({ env }), { links: supportsLinks(env) });
  const app = new AttachApp(screen, theme, session, options);
  const guard = guardTerminal(screen, {
    onEnd: () => app.quit(),
    killAll: () => {}, // it has started nothing
    onWords: (words) => app.tell(words),
  });
  try {
    return await app.run();
  } finally {
    guard.dispose();
    screen.stop();
  }
}
