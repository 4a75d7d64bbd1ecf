import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { ATTRIBUTE_OPTIONS, namesAttributes, sharedAttributeProbe } from './attribute-probe.js';
import { SMALL_BYTES } from './open-file.js';

const MAX_MS = 5_000; // a program that takes longer is hung
const HEAD_BYTES = 16_384; // tar writes the attributes first, then the content

/** Applies the attributes to an open file. */
export type CopyTo = (to: number) => Promise<'none' | 'copied'>;

/**
 * Reads the extended attributes and ACLs of a file, which is named absolutely or relative to the folder, and returns
 * a function that copies them as far as permitted: the content matters more, so failures are ignored. Node has no API
 * for this, so external programs do it: one checks whether there is anything to copy, and almost always there is not.
 * On systems other than Linux, attributes are not kept.
 */
export type CopyAttributes = (folder: string, from: string) => CopyTo;

/** For one file. */
export const copyAttributes: CopyAttributes = (folder, from) => {
  if (process.platform !== 'linux') return async () => 'none';
  const looking = hasNone(folder, sourceOf(from));
  return async (to) => ((await looking) ? 'none' : await copy(folder, from, to));
};

/** For many: the probe process is kept between them, and shared with other sessions, until `end`. */
export function attributeCopier(): { copy: CopyAttributes; end(): Promise<void> } {
  const tar = process.platform === 'linux' ? firstThatRuns('tar') : undefined;
  if (tar === undefined) return { copy: copyAttributes, async end() {} };
  const looks = sharedAttributeProbe(tar);
  const user = {};
  const copyLooked: CopyAttributes = (folder, from) => {
    // By our PID and descriptor: in the other process, `/proc/self` is its own.
    const inside = folder.replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
    const path = isAbsolute(from) ? from : join(inside, from);
    const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (size === 0 || size > SMALL_BYTES) return copyAttributes(folder, from);
    const looking = looks.hasNone(user, path);
    return async (to) => {
      const answer = await looking;
      if (answer === undefined) return await copyAttributes(folder, from)(to);
      return answer ? 'none' : await copy(folder, from, to);
    };
  };
  return { copy: copyLooked, end: () => looks.leave(user) };
}

const sourceOf = (from: string): string => (isAbsolute(from) ? from : `./${from}`);

async function copy(folder: string, from: string, to: number): Promise<'copied'> {
  // By its descriptor and not by its name: if this process ends first, a removed name would be created again.
  const options = ['--attributes-only', '--no-dereference', '--preserve=mode,xattr'];
  await run('cp', [...options, '--', sourceOf(from), '/dev/fd/3'], folder, to);
  return 'copied';
}

async function hasNone(folder: string, source: string): Promise<boolean> {
  const { output, complaints } = await run('tar', ['-cf', '-', ...ATTRIBUTE_OPTIONS, '--', source], folder);
  return output !== '' && complaints === '' && !namesAttributes(output);
}

interface Run {
  /** How it started. */
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
      for (const stream of child.stdio) stream?.destroy(); // its children may hold them too
      resolve();
    }, MAX_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    child.on('error', end).on('close', end);
  });
  await running.catch(() => {}); // no process can be started right now
  return seen;
}

/** By absolute path: PATH may lead to any program. */
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
