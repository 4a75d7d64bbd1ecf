import { ProcessTerminal } from '@earendil-works/pi-tui';
import type { WatchedSettings } from '../settings/watch.js';
import { Screen } from './screen/screen.js';
import { guardTerminal } from './screen/terminal-guard.js';
import { chooseTheme, supportsLinks, Theme } from './screen/theme.js';
import type { OpenedSession, SessionPorts, SessionWish } from './session/opened-session.js';
import { TerminalApp } from './terminal-app.js';

export interface TerminalOptions {
  version: string;
  /** Said at once, as if it had been typed. */
  prompt?: string | undefined;
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Plain lines, for screen readers: nothing is painted over. */
  isPlain?: boolean | undefined;
  /** Which conversation to begin with. */
  first: SessionWish;
  /** Reads settings anew. A person is asked about trust before a conversation is opened by them. */
  open(ports: SessionPorts): Promise<TerminalSettings>;
}

export interface TerminalSettings {
  settings: WatchedSettings;
  openSession(wish: SessionWish): Promise<OpenedSession>;
}

/** Talks with a person at a terminal until they leave. Gives the exit code; the terminal is as it was by then. */
export async function startTerminal(options: TerminalOptions): Promise<number> {
  const { env } = options;
  if (options.isPlain || env['HELVE_SCREEN_READER'] === '1' || env['TERM'] === 'dumb') {
    return await (await import('./plain/plain-terminal.js')).startPlainTerminal(options);
  }
  const screen = new Screen(new ProcessTerminal());
  const theme = new Theme(chooseTheme({ env }), { links: supportsLinks(env) });
  const app = new TerminalApp(screen, theme, options);
  const guard = guardTerminal(screen, {
    onEnd: (code) => app.quit(code),
    killAll: () => app.killAll(),
    onWords: (words) => app.tell(words),
  });
  try {
    return await app.run();
  } finally {
    guard.dispose();
    screen.stop();
  }
}
