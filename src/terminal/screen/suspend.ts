import type { Screen } from './screen.js';

/** Stops the process as Ctrl-Z does, and restores the screen when it continues. */
export function suspend(screen: Screen): void {
  if (process.platform === 'win32') return;
  screen.stop();
  const alive = setInterval(() => {}, 60_000); // keeps the process alive while it waits for SIGCONT
  process.once('SIGCONT', () => {
    clearInterval(alive);
    screen.goOn();
  });
  process.kill(process.pid, 'SIGTSTP');
}
