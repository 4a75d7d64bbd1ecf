// A terminal of its own for one picture: a tmux server with a shell in it, in a throw-away project below a throw-away
// home. Their names are the same in each run, since they are on the screen.
import { execFile } from 'node:child_process';
import { chmod, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LOOK_MS = 40;
const WAIT_MS = 60_000;

/** `home` has files below the home folder, `project` its name and its files. Resolves when the shell accepts input. */
export async function openTerminal({ columns, rows, env, home, project }) {
  const folder = join(await realpath(tmpdir()), 'ada');
  await mkdir(folder).catch((cause) => {
    throw new Error(`${folder} can't be made, perhaps since an earlier run has left it. Remove it, then try again.`, {
      cause,
    });
  });
  const place = join(folder, project.name);
  await writeFiles(folder, home);
  await writeFiles(place, project.files);
  await writeFiles(join(folder, '.bin'), { helve: '#!/bin/sh\nexec "$NODE" "$HELVE" "$@"\n' });
  await chmod(join(folder, '.bin', 'helve'), 0o755);
  await git(place, ['init', '--quiet', '--initial-branch=main']);
  await git(place, ['add', '--all']);
  await git(place, ['commit', '--quiet', '--message', 'Begin']);

  await mkdir(join(folder, '.tmp'));
  const socket = join(folder, '.tmux');
  const tmux = async (...args) => (await run('tmux', ['-S', socket, '-f', '/dev/null', ...args])).stdout;
  // tmux does not tell what it has erased in a colour. A second one shows it, since the first draws it there in blanks.
  const outerSocket = join(folder, '.tmux-outer');
  const outer = async (...args) => (await run('tmux', ['-S', outerSocket, '-f', '/dev/null', ...args])).stdout;
  const attach = `env -u TMUX TERM=tmux-256color LANG=C.UTF-8 tmux -u -T RGB,256 -S ${quoted(socket)} attach`;
  const variables = {
    PATH: [join(folder, '.bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    NODE: process.execPath,
    HELVE: resolve(process.env['HELVE_SCREENSHOT_PROGRAM'] ?? 'bin/helve.cjs'),
    HOME: folder,
    TMPDIR: join(folder, '.tmp'),
    LANG: 'C.UTF-8',
    TERM: 'tmux-256color',
    COLORTERM: 'truecolor',
    PS1: '\\[\\e[38;5;245m\\]\\w\\[\\e[0m\\] $ ',
    ...env,
  };
  const words = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`);
  const shell = `cd ${quoted(place)} && exec env -i ${words.join(' ')} bash --noprofile --norc -i`;
  await tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), shell);
  await tmux('set', '-g', 'status', 'off');
  await tmux('set', '-as', 'terminal-overrides', ',*:bce@');

  const screen = () => tmux('capture-pane', '-p');
  const waitFor = async (text, isThere) => {
    const end = Date.now() + WAIT_MS;
    for (;;) {
      const seen = await screen();
      if ((typeof text === 'string' ? seen.includes(text) : text.test(seen)) === isThere) return;
      if (Date.now() > end) {
        const what = isThere ? 'never showed' : 'still shows';
        throw new Error(`The terminal ${what} ${String(text)}, so there is no picture. It shows:\n${seen}`);
      }
      await delay(LOOK_MS);
    }
  };
  await waitFor('~/', true);
  return {
    type: (text) => tmux('send-keys', '-l', '--', text),
    /** Keys by their names in tmux: Enter, Escape, C-o. */
    press: (...keys) => tmux('send-keys', ...keys),
    shows: (text) => waitFor(text, true),
    hides: (text) => waitFor(text, false),
    /** With the codes of its colours. */
    async capture() {
      await outer('new-session', '-d', '-x', String(columns), '-y', String(rows), attach);
      await outer('set', '-g', 'status', 'off');
      const end = Date.now() + WAIT_MS;
      while (still(await outer('capture-pane', '-p')) !== still(await screen())) {
        if (Date.now() > end) throw new Error('The terminal shows something else in a second one.');
        await delay(LOOK_MS);
      }
      return await outer('capture-pane', '-e', '-p', '-N');
    },
    async close() {
      await outer('kill-server').catch(() => {});
      await tmux('kill-server').catch(() => {}); // this picture's own, by its socket
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Without the spinner and the seconds, which differ from one look to the next. */
const still = (text) => text.trimEnd().replaceAll(/[\u2800-\u28ff]|\d+s/gu, '');

async function writeFiles(folder, files) {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

const git = (cwd, args) =>
  run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false', ...args], {
    cwd,
  });

const quoted = (word) => `'${word.replaceAll("'", `'\\''`)}'`;
