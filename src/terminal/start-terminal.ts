import type { WatchedSettings } from '../settings/watch.js';
import { needsPlainLines, runOnScreen } from './screen/run-on-screen.js';
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
  if (needsPlainLines(options.isPlain, options.env)) {
    return await (await import('./plain/plain-terminal.js')).startPlainTerminal(options);
  }
  return await runOnScreen(options, (screen, theme) => new TerminalApp(screen, theme, options));
}
