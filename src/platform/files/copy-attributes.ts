import { constants } from 'node:fs';
import { access, type FileHandle } from 'node:fs/promises';
import { isAbsolute } from 'node:path';

const HEAD_BYTES = 16_384; // tar names the attributes first, and then comes the content

/**
 * Gives an open file the extended attributes and access lists of another, which is named absolutely or in the folder, as far as
 * the system lets us: content matters more, so nothing here is an error. Node has no call for it, so programs do it, while the content is on its way
 * to the disk: one tells whether there is anything to copy, and almost always there is not. Elsewhere than on Linux,
 * attributes are not kept.
 */
export async function copyAttributes(folder: string, from: string, to: FileHandle): Promise<'none' | 'copied'> {
  if (process.platform !== 'linux') return 'none';
  const source = isAbsolute(from) ? from : `./${from}`;
  if (await hasNone(folder, source)) return 'none';
  // By its handle and not by its name: should this process end first, a name that is gone by then would be made again.
  await run(
    'cp',
    ['--attributes-only', '--no-dereference', '--preserve=mode,xattr', '--', source, '/dev/fd/3'],
    folder,
    to,
  );
  return 'copied';
}

async function hasNone(folder: string, source: string): Promise<boolean> {
  const options = ['--format=pax', '--no-recursion', '--xattrs', '--xattrs-include=*', '--acls', '-P'];
  const { output, complaints } = await run('tar', ['-cf', '-', ...options, '--', source], folder);
  return output !== '' && complaints === '' && !output.includes('SCHILY.');
}

interface Run {
  /** How it began. */
  output: string;
  complaints: string;
}

async function run(name: string, args: readonly string[], cwd: string, open?: FileHandle): Promise<Run> {
  const program = await firstThatRuns([`/usr/bin/${name}`, `/bin/${name}`]);
  if (program === undefined) return { output: '', complaints: '' };
  const { spawn } = await import('node:child_process');
  return await new Promise((resolve) => {
    const seen: Run = { output: '', complaints: '' };
    const stdio = ['ignore', 'pipe', 'pipe', ...(open ? [open.fd] : [])] as const;
    const child = spawn(program, args, { cwd, stdio: [...stdio], env: { LC_ALL: 'C' } });
    child.stdout?.on('data', (bytes: Buffer) => {
      seen.output += bytes.toString('latin1');
      if (seen.output.length > HEAD_BYTES) child.kill();
    });
    child.stderr?.on('data', (bytes: Buffer) => {
      seen.complaints += bytes.toString('latin1');
    });
    child.on('error', () => resolve(seen)).on('close', () => resolve(seen));
  });
}

/** By their full names: what comes first in PATH may be anything. */
async function firstThatRuns(programs: readonly string[]): Promise<string | undefined> {
  for (const program of programs) {
    try {
      await access(program, constants.X_OK);
      return program;
    } catch {
      // the next one, then
    }
  }
  return undefined;
}
