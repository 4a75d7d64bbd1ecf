// Opens the screen for an interface, and restores the terminal after it, however it ends.
import { basename } from 'node:path';
import { ProcessTerminal } from '@earendil-works/pi-tui';
import { Screen } from './screen.js';
import { guardTerminal } from './terminal-guard.js';
import { chooseTheme, supportsLinks, Theme } from './theme.js';
import { WindowTitle } from './window-title.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ScreenApp<End> {
  /** Until the person leaves. */
  run(): Promise<End>;
  /** The terminal or the process is about to end. */
  quit(code: number): void;
  /** Ends what it has started, if it starts anything. */
  killAll?(): void;
  /** Shows what was written to standard error. */
  tell(words: string): void;
}

/** Whether nothing may be overdrawn: for screen readers, and terminals that can't move the cursor. */
export const needsPlainLines = (isPlain: boolean | undefined, env: Environment): boolean =>
  isPlain === true || env['HELVE_SCREEN_READER'] === '1' || env['TERM'] === 'dumb';

/** `root` names the window. */
export async function runOnScreen<End>(
  { env, root }: { env: Environment; root: string },
  create: (screen: Screen, theme: Theme) => ScreenApp<End>,
): Promise<End> {
  const screen = new Screen(new ProcessTerminal());
  const write = (text: string): void => screen.tui.terminal.write(text);
  screen.title = new WindowTitle({ write, env, folder: basename(root) });
  const app = create(screen, new Theme(chooseTheme({ env }), { links: supportsLinks(env) }));
  const guard = guardTerminal(screen, {
    onEnd: (code) => app.quit(code),
    killAll: () => app.killAll?.(),
    onWords: (words) => app.tell(words),
  });
  try {
    return await app.run();
  } finally {
    guard.dispose();
    screen.stop();
  }
}
