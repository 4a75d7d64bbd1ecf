// The person's own editor, for a prompt that is easier to write there.
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
  /** Gives the terminal away, and takes it back. */
  pause(): void | Promise<void>;
  resume(): void | Promise<void>;
}

/** The text as it was saved, or why there is none. A text that was not changed comes back as it is. */
export async function editExternally(
  text: string,
  { env, cwd, pause, resume }: ExternalEditorOptions,
): Promise<{ text: string } | { problem: string }> {
  const named = env['VISUAL']?.trim() || env['EDITOR']?.trim() || usualEditor(env['PATH']);
  const [program, ...args] = splitWords(named ?? '');
  if (program === undefined) {
    return { problem: 'No editor was found. Set VISUAL or EDITOR, as in EDITOR=nano, and start helve again.' };
  }
  let folder: string | undefined;
  let failed = `No file for ${program} can be made`;
  try {
    folder = await mkdtemp(join(tmpdir(), 'helve-prompt-')); // for nobody else: the system makes it so
    const file = join(folder, 'prompt.md');
    await writeFile(file, text === '' ? '' : `${text}\n`, { mode: 0o600 }); // as editors end a file
    failed = `What ${program} saved can't be read`;
    await pause();
    let ending: string | undefined;
    try {
      ending = await runEditor(program, [...args, file], { env, cwd });
    } finally {
      await resume();
    }
    if (ending !== undefined) return { problem: `${program} ${ending}, so the text stays as it was.` };
    return { text: (await readFile(file, 'utf8')).replace(/\r?\n$/, '') };
  } catch (error) {
    return { problem: `${failed} (${messageOf(error)}), so the text stays as it was.` };
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Where nobody has named one: what most machines have. */
function usualEditor(path = ''): string | undefined {
  const folders = path.split(delimiter).filter(isAbsolute); // one that depends on where we are may be anybody's
  return ['nano', 'vim', 'vi'].find((name) => folders.some((folder) => existsSync(join(folder, name))));
}

/** Nothing where it ended well. */
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
