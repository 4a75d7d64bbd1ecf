// Edits a prompt in the user's own editor.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { splitWords } from '../../agent/commands/arguments.js';
import { messageOf } from '../../platform/message-of.js';

export interface ExternalEditorOptions {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Releases the terminal, and takes it back. */
  pause(): void | Promise<void>;
  resume(): void | Promise<void>;
}

const NO_EDITOR = 'No editor was found. Set VISUAL or EDITOR, as in EDITOR=nano, and start helve again.';

/** The saved text, or why there is none. Unchanged text is returned as is. */
export async function editExternally(
  text: string,
  { env, cwd, pause, resume }: ExternalEditorOptions,
): Promise<{ text: string } | { problem: string }> {
  const named = env['VISUAL']?.trim() || env['EDITOR']?.trim() || usualEditor(env['PATH']);
  const [program, ...args] = splitWords(named ?? '');
  if (program === undefined) {
    return { problem: NO_EDITOR };
  }
  let folder: string | undefined;
  let failed = `No file for ${program} can be created`;
  try {
    folder = await mkdtemp(join(tmpdir(), 'helve-prompt-')); // mkdtemp makes it private
    const file = join(folder, 'prompt.md');
    await writeFile(file, text === '' ? '' : `${text}\n`, { mode: 0o600 }); // files end with a line feed
    failed = `What ${program} saved can't be read`;
    await pause();
    let ending: string | undefined;
    try {
      ending = await runEditor(program, [...args, file], { env, cwd });
    } finally {
      await resume();
    }
    if (ending !== undefined) return { problem: `${program} ${ending}, so the text is unchanged.` };
    return { text: (await readFile(file, 'utf8')).replace(/\r?\n$/, '') };
  } catch (error) {
    return { problem: `${failed} (${messageOf(error)}), so the text is unchanged.` };
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Opens a file in the user's editor, which creates it if necessary. Returns a problem, if any. */
export async function editFileExternally(
  file: string,
  { env, cwd, pause, resume }: ExternalEditorOptions,
): Promise<string | undefined> {
  const named = env['VISUAL']?.trim() || env['EDITOR']?.trim() || usualEditor(env['PATH']);
  const [program, ...args] = splitWords(named ?? '');
  if (program === undefined) return NO_EDITOR;
  await pause();
  try {
    const ending = await runEditor(program, [...args, file], { env, cwd });
    return ending === undefined ? undefined : `${program} ${ending}.`;
  } catch (error) {
    return `${program} can't be started (${messageOf(error)}).`;
  } finally {
    await resume();
  }
}

/** The default editor if none is configured. */
function usualEditor(path = ''): string | undefined {
  const folders = path.split(delimiter).filter(isAbsolute); // a relative folder in PATH could contain anyone's program
  return ['nano', 'vim', 'vi'].find((name) => folders.some((folder) => existsSync(join(folder, name))));
}

/** Undefined if it exited successfully. */
async function runEditor(
  program: string,
  args: readonly string[],
  { env, cwd }: Pick<ExternalEditorOptions, 'env' | 'cwd'>,
): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...env }, cwd });
    child.on('error', (error) => resolve(`can't be started (${error.message})`));
    child.on('exit', (code, signal) => {
      if (code === 0) resolve(undefined);
      else resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
    });
  });
}
