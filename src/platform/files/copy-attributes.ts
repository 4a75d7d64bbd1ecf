import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { ATTRIBUTE_OPTIONS, AttributeProbe, namesAttributes } from './attribute-probe.js';
import { SMALL_BYTES } from './open-file.js';

const MAX_MS = 5_000; // a program that takes longer does not answer at all
const HEAD_BYTES = 16_384; // tar names the attributes first, and then comes the content

/** Gives an open file the attributes. */
export type CopyTo = (to: number) => Promise<'none' | 'copied'>;

/**
 * Looks at the extended attributes and access lists of a file, which is named absolutely or in the folder, and gives a
 * way to copy them, as far as the system lets us: content matters more, so nothing here is an error. Node has no call
 * for it, so programs do it: one tells whether there is anything to copy, and almost always there is not. Elsewhere than
 * on Linux, attributes are not kept.
 */
export type CopyAttributes = (folder: string, from: string) => CopyTo;

/** For one file. */
export const copyAttributes: CopyAttributes = (folder, from) => {
  if (process.platform !== 'linux') return async () => 'none';
  const looking = hasNone(folder, sourceOf(from));
  return async (to) => ((await looking) ? 'none' : await copy(folder, from, to));
};

/** For many: the program that looks stays between them, until `end`. */
export function attributeCopier(): { copy: CopyAttributes; end(): void } {
  const tar = process.platform === 'linux' ? firstThatRuns('tar') : undefined;
  if (tar === undefined) return { copy: copyAttributes, end() {} };
  const looks = new AttributeProbe(tar);
  const copyLooked: CopyAttributes = (folder, from) => {
    // By our number: another program has other things open.
    const inside = folder.replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
    const path = isAbsolute(from) ? from : join(inside, from);
    const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (size === 0 || size > SMALL_BYTES) return copyAttributes(folder, from);
    const looking = looks.hasNone(path);
    return async (to) => {
      const answer = await looking;
      if (answer === undefined) return await copyAttributes(folder, from)(to);
      return answer ? 'none' : await copy(folder, from, to);
    };
  };
  return { copy: copyLooked, end: () => looks.end() };
}

const sourceOf = (from: string): string => (isAbsolute(from) ? from : `./${from}`);

async function copy(folder: string, from: string, to: number): Promise<'copied'> {
  // By its handle and not by its name: should this process end first, a name that is gone by then would be made again.
  const options = ['--attributes-only', '--no-dereference', '--preserve=mode,xattr'];
  await run('cp', [...options, '--', sourceOf(from), '/dev/fd/3'], folder, to);
  return 'copied';
}

async function hasNone(folder: string, source: string): Promise<boolean> {
  const { output, complaints } = await run('tar', ['-cf', '-', ...ATTRIBUTE_OPTIONS, '--', source], folder);
  return output !== '' && complaints === '' && !namesAttributes(output);
}

interface Run {
  /** How it began. */
  output: string;
  complaints: string;
}

async function run(name: string, args: readonly string[], cwd: string, open?: number): Promise<Run> {
  const program = firstThatRuns(name);
  if (program === undefined) return { output: '', complaints: '' };
  const { spawn } = await import('node:child_process');
  const seen: Run = { output: '', complaints: '' };
  const running = new Promise<void>((resolve) => {
    const stdio = ['ignore', 'pipe', 'pipe', ...(open === undefined ? [] : [open])] as const;
    const child = spawn(program, args, { cwd, stdio: [...stdio], env: { LC_ALL: 'C' } });
    child.stdout?.on('data', (bytes: Buffer) => {
      seen.output += bytes.toString('latin1');
      if (seen.output.length > HEAD_BYTES) child.kill();
    });
    child.stderr?.on('data', (bytes: Buffer) => {
      seen.complaints += bytes.toString('latin1');
    });
    const timer = setTimeout(() => {
      seen.complaints += 'it takes too long';
      child.kill('SIGKILL');
      for (const stream of child.stdio) stream?.destroy(); // what it has started may have them too
      resolve();
    }, MAX_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    child.on('error', end).on('close', end);
  });
  await running.catch(() => {}); // the system lets us have no other program now
  return seen;
}

/** By its full name: what comes first in PATH may be anything. */
function firstThatRuns(name: string): string | undefined {
  return [`/usr/bin/${name}`, `/bin/${name}`].find((program) => {
    try {
      accessSync(program, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
