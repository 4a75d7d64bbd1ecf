import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, isAbsolute, join } from 'node:path';
import type { SearchOptions } from './query.js';

/** No working ripgrep was found. */
export class RipgrepMissing extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RipgrepMissing';
  }
}

const NAME = process.platform === 'win32' ? 'rg.exe' : 'rg';

/**
 * Throws if none was installed for this platform. Loading the package, which would report the same, takes
 * milliseconds.
 */
function packagedRipgrep(): string {
  const inPackage = createRequire(createRequire(import.meta.url).resolve('@vscode/ripgrep'));
  return inPackage.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${NAME}`);
}

/** The program: the one from the package, or the system's if `USE_BUILTIN_RIPGREP` is 0 or ours is missing. */
export function findRipgrep(env: SearchOptions['env']): string {
  if (!['0', 'false', 'no', 'off'].includes((env['USE_BUILTIN_RIPGREP'] ?? '').toLowerCase())) {
    try {
      const program = packagedRipgrep();
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // fall back to the system's
    }
  }
  // A relative PATH entry would let the searched folder provide its own program.
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const program = join(folder, NAME);
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // not in this folder
    }
  }
  throw new RipgrepMissing(
    'ripgrep was not found: neither the package @vscode/ripgrep nor a program "rg" on PATH. ' +
      'Install ripgrep (for example "apt install ripgrep" or "brew install ripgrep"), or reinstall helve with its optional dependencies.',
  );
}
