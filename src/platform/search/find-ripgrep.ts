import { createRequire } from 'node:module';
import { delimiter, isAbsolute, join } from 'node:path';
import { isExecutable } from '../files/lenient-reads.js';
import { SearchFailure, type SearchOptions } from './query.js';

const NAME = process.platform === 'win32' ? 'rg.exe' : 'rg';

/**
 * The program: the one from the package, or the system's if `USE_BUILTIN_RIPGREP` is 0 or ours is missing, which npm
 * leaves out with other optional packages.
 */
export function findRipgrep(env: SearchOptions['env']): string {
  const usesPackage = !['0', 'false', 'no', 'off'].includes((env['USE_BUILTIN_RIPGREP'] ?? '').toLowerCase());
  const program = (usesPackage && packagedRipgrep()) || systemRipgrep(env);
  if (program) return program;
  const first = usesPackage ? 'reinstall helve with its optional packages' : 'unset USE_BUILTIN_RIPGREP';
  throw new SearchFailure(
    `ripgrep, which searches need, was not found: ${first}, or put "rg" on PATH (for example with "apt install ripgrep" or "brew install ripgrep").`,
  );
}

/** Loading the package, which would find the same, takes milliseconds. */
function packagedRipgrep(): string | undefined {
  try {
    const inPackage = createRequire(createRequire(import.meta.url).resolve('@vscode/ripgrep'));
    const program = inPackage.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${NAME}`);
    return isExecutable(program) ? program : undefined;
  } catch {
    return undefined; // not installed, or not for this platform
  }
}

/** A relative PATH entry would let the searched folder provide its own program. */
const systemRipgrep = (env: SearchOptions['env']): string | undefined =>
  (env['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, NAME))
    .find(isExecutable);
