import type { Screen } from './screen.js';

/** Gives the terminal to the shell until it says to go on. */
export function suspend(screen: Screen): void {
  if (process.platform === 'win32') return;
  screen.stop();
  const alive = setInterval(() => {}, 60_000); // nothing else is waited for while the terminal is not ours
  process.once('SIGCONT', () => {
    clearInterval(alive);
    screen.goOn();
  });
  process.kill(process.pid, 'SIGTSTP');
}
