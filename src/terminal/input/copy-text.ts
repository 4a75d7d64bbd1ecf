// Puts text into the clipboard: by a program of the desktop if there is one, and through the terminal.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

export interface ClipboardOptions {
  env: Readonly<Record<string, string | undefined>>;
  platform?: NodeJS.Platform;
  /** Writes to the terminal; undefined if there is none to write sequences to. */
  write?: ((text: string) => void) | undefined;
}

const MAX_OSC_BYTES = 74_000; // terminals drop longer sequences
const WAIT_MS = 2_000;

/** Returns how it was copied, as the end of a sentence. */
export async function copyText(
  text: string,
  { env, platform = process.platform, write }: ClipboardOptions,
): Promise<string> {
  const program = clipboardProgram(env, platform);
  const isDone = program !== undefined && (await pipeTo(program, text, env));
  const encoded = Buffer.from(text).toString('base64');
  const isSent = write !== undefined && encoded.length <= MAX_OSC_BYTES;
  if (isSent) write(throughTmux(`\u001b]52;c;${encoded}\u0007`, env));
  if (isDone) return `with ${program[0]}.`;
  if (isSent) return 'through the terminal (OSC 52). If the clipboard is unchanged, the terminal does not allow that.';
  throw new Error(
    'There is no program to copy with (wl-copy, xclip, xsel or pbcopy), and it is too long for the terminal.',
  );
}

function clipboardProgram(
  env: ClipboardOptions['env'],
  platform: NodeJS.Platform,
): readonly [string, ...string[]] | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const has = (name: string): boolean => folders.some((folder) => existsSync(join(folder, name)));
  if (platform === 'darwin') return has('pbcopy') ? ['pbcopy'] : undefined;
  if (env['WAYLAND_DISPLAY'] && has('wl-copy')) return ['wl-copy'];
  if (env['DISPLAY'] && has('xclip')) return ['xclip', '-selection', 'clipboard'];
  return env['DISPLAY'] && has('xsel') ? ['xsel', '--clipboard', '--input'] : undefined;
}

/** Whether the program took the text. */
async function pipeTo([name, ...args]: readonly [string, ...string[]], text: string, env: ClipboardOptions['env']) {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(name, args, { env: { ...env }, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  const timer = setTimeout(() => resolve(true), WAIT_MS); // some stay until the clipboard changes
  child.on('error', () => resolve(false));
  child.on('exit', (code) => resolve(code === 0));
  child.stdin.on('error', () => resolve(false));
  child.stdin.end(text);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.unref();
  }
}

/** tmux passes on only sequences that are wrapped for it. */
const throughTmux = (text: string, env: ClipboardOptions['env']): string =>
  env['TMUX'] ? `\u001bPtmux;${text.replaceAll('\u001b', '\u001b\u001b')}\u001b\\` : text;
