import { basename } from 'node:path';
import { ProcessTerminal } from '@earendil-works/pi-tui';
import type { WatchedSettings } from '../settings/watch.js';
import { Screen } from './screen/screen.js';
import { guardTerminal } from './screen/terminal-guard.js';
import { chooseTheme, supportsLinks, Theme } from './screen/theme.js';
import { WindowTitle } from './screen/window-title.js';
import type { ShownInstructions } from './session/ask-instructions.js';
import type { OpenedSession, SessionRequest, TerminalPorts } from './session/opened-session.js';
import { TerminalApp } from './terminal-app.js';

export interface TerminalOptions {
  version: string;
  /** Sent at once, as if it had been typed. */
  prompt?: string | undefined;
  /** Placed in the editor, ready to be sent. Plain lines have no editor, so there it is sent at once. */
  draft?: string | undefined;
  /** Shown below the first lines: what this conversation is. */
  welcome?: string | undefined;
  /** Printed at the end, instead of how to resume the conversation. */
  farewell?: string | undefined;
  root: string;
  /** The name of the folder on the screen. Default: its path. */
  folderName?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Plain lines, for screen readers: nothing is overdrawn. */
  isPlain?: boolean | undefined;
  /** The conversation to start with. */
  first: SessionRequest;
  /** Follows a session of the background once the terminal is restored. */
  attach?(id: string): void;
  /** Reads settings again. The user is asked about trust before a conversation is opened with them. */
  open(ports: TerminalPorts): Promise<TerminalSettings>;
}

export interface TerminalSettings {
  settings: WatchedSettings;
  /** Instruction files of the project that the user has not agreed to follow. */
  notFollowed?: readonly ShownInstructions[];
  openSession(request: SessionRequest): Promise<OpenedSession>;
}

/** Runs the terminal until the user leaves it. Returns the exit code, after the terminal is restored. */
export async function startTerminal(options: TerminalOptions): Promise<number> {
  const { env } = options;
  if (options.isPlain || env['HELVE_SCREEN_READER'] === '1' || env['TERM'] === 'dumb') {
    return await (await import('./plain/plain-terminal.js')).startPlainTerminal(options);
  }
  const screen = new Screen(new ProcessTerminal());
  screen.title = new WindowTitle({
    write: (text) => screen.tui.terminal.write(text),
    env,
    folder: basename(options.root),
  });
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
