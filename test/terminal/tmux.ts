// Drives the built command line in a terminal of its own: a tmux server per test, reached by its own socket.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const helve = process.env['HELVE_TEST_BIN'] ?? resolve('bin/helve.cjs');
const LOOK_MS = 40;
const WAIT_MS = 30_000;

/** Why there can be no test in a terminal here; undefined where there can. */
export const whyNoTmux = (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'tmux')))
  ? undefined
  : 'tmux is not installed';

export interface TerminalOptions {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  columns?: number;
  rows?: number;
  /** Files of the project, by name. */
  files?: Readonly<Record<string, string>>;
  /** A project and a home that another terminal has used. */
  folders?: Folders;
  /** Words before the command, which run it. */
  before?: readonly string[];
  /** What stands on the screen once it has started. */
  shows?: string;
}

interface Folders {
  project: string;
  home: string;
}

export interface TestTerminal extends Folders {
  /** Types text, as it is. */
  type(text: string): Promise<void>;
  /** Presses keys by their names in tmux: Enter, Escape, C-c, BTab. */
  press(...keys: string[]): Promise<void>;
  /** Pastes as a terminal does: in one burst, in brackets where the program wants them. */
  paste(text: string): Promise<void>;
  /** Writes characters to the program in one burst, without brackets. */
  burst(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  screen(): Promise<string>;
  /** With colours, as the terminal has them. */
  styledScreen(): Promise<string>;
  /** The screen and what has scrolled off it. */
  scrollback(): Promise<string>;
  /** The same, with lines whole that the terminal has broken. */
  wholeLines(): Promise<string[]>;
  /** Waits until the screen shows this, and gives it. */
  shows(text: string | RegExp): Promise<string>;
  /** Waits until the screen no longer shows this. */
  hides(text: string | RegExp): Promise<string>;
  /** Waits until the program has ended, and gives its exit code. */
  exitCode(): Promise<number>;
  /** How the terminal was set once the program had ended, as stty says it. */
  modes(): Promise<string>;
  /** The title that the program has given its window. */
  title(): Promise<string>;
  /** The process id of the program. */
  pid(): Promise<number>;
  /** The terminal goes away, as when its window is closed. */
  hangUp(): Promise<void>;
  close(): Promise<void>;
}

/** Starts `helve` in a shell of a terminal. */
export async function startTerminal(options: TerminalOptions = {}): Promise<TestTerminal> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-terminal-')));
  const { project, home } = options.folders ?? { project: join(folder, 'project'), home: join(folder, 'home') };
  await run('mkdir', ['-p', project, home]);
  for (const [name, content] of Object.entries(options.files ?? {})) await writeFile(join(project, name), content);
  const socket = join(folder, 'tmux');
  const tmux = async (...args: string[]): Promise<string> => {
    const { stdout } = await run('tmux', ['-S', socket, '-f', '/dev/null', ...args], { maxBuffer: 256 * 1024 * 1024 });
    return stdout;
  };
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    HELVE_HOME: join(home, '.helve'),
    TMPDIR: folder,
    IS_SANDBOX: '1',
    LANG: 'C.UTF-8',
    TERM: 'tmux-256color',
    ...options.env,
  };
  const command = [...(options.before ?? []), process.execPath, helve, ...(options.args ?? [])].map(quoted).join(' ');
  // The shell outlives it, so that what it leaves of the terminal can be seen.
  const script = join(folder, 'run.sh');
  const pidFile = join(folder, 'pid');
  await writeFile(
    script,
    `cd ${quoted(project)}\necho before helve\n${command} & echo $! > ${quoted(pidFile)}; fg %1 >/dev/null 2>&1; code=$?; stty -a > ${quoted(join(folder, 'stty'))}; echo "[ended $code]"; cat\n`,
  );
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  await tmux(
    ...['new-session', '-d', '-x', String(options.columns ?? 100), '-y', String(options.rows ?? 40)],
    `env -i ${variables.join(' ')} bash --norc -i ${quoted(script)}`,
  );
  await tmux('set-option', '-g', 'history-limit', '50000');

  // This test's own, by its socket; it may have ended with its shell.
  const hangUp = async (): Promise<void> => void (await tmux('kill-server').catch(() => {}));
  const screen = (): Promise<string> => tmux('capture-pane', '-p');
  const scrollback = (): Promise<string> => tmux('capture-pane', '-p', '-S', '-');
  const waitFor = async (text: string | RegExp, isThere: boolean): Promise<string> => {
    const end = Date.now() + WAIT_MS;
    for (;;) {
      const seen = await screen();
      if ((typeof text === 'string' ? seen.includes(text) : text.test(seen)) === isThere) return seen;
      if (Date.now() > end) {
        throw new Error(`The terminal ${isThere ? 'never showed' : 'still shows'} ${String(text)}. It shows:\n${seen}`);
      }
      await delay(LOOK_MS);
    }
  };
  return {
    project,
    home,
    type: async (text) => void (await tmux('send-keys', '-l', '--', text)),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    async paste(text) {
      const file = join(folder, 'paste');
      await writeFile(file, text);
      await tmux('load-buffer', file);
      await tmux('paste-buffer', '-p', '-r');
    },
    async burst(text) {
      const file = join(folder, 'paste');
      await writeFile(file, text);
      await tmux('load-buffer', file);
      await tmux('paste-buffer', '-r');
    },
    resize: async (columns, rows) => void (await tmux('resize-window', '-x', String(columns), '-y', String(rows))),
    screen,
    styledScreen: () => tmux('capture-pane', '-p', '-e'),
    scrollback,
    wholeLines: async () => (await tmux('capture-pane', '-p', '-J', '-S', '-')).split('\n'),
    shows: (text) => waitFor(text, true),
    hides: (text) => waitFor(text, false),
    async exitCode() {
      const seen = await waitFor(/\[ended \d+\]/, true);
      return Number(/\[ended (\d+)\]/.exec(seen)?.[1]);
    },
    async modes() {
      const { stdout } = await run('cat', [join(folder, 'stty')]);
      return stdout;
    },
    title: async () => (await tmux('display-message', '-p', '#{pane_title}')).trim(),
    async pid() {
      const { stdout } = await run('cat', [pidFile]);
      return Number(stdout);
    },
    hangUp,
    async close() {
      await hangUp();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
