import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { isInside } from '../../platform/files/paths.js';

/** What a user can type here to run this Helve: `helve`, or `npx helve` in a folder where only npm finds it. */
export function ownCommand({ program, path, cwd }: { program: string; path: string; cwd: string }): string {
  const own = realPath(program);
  if (own === undefined) return 'helve';
  // npm adds its own folders to the PATH of programs that it starts. A user's shell does not have them.
  const folders = path.split(delimiter).filter((folder) => !/(?:^$|\bnode_modules[\\/]\.bin[\\/]?$)/.test(folder));
  if (folders.some((folder) => realPath(join(folder, 'helve')) === own)) return 'helve';
  const packageFolder = dirname(dirname(own));
  const above = dirname(packageFolder);
  const project = basename(above) === 'node_modules' ? dirname(above) : packageFolder;
  return isInside(project, cwd) ? 'npx helve' : 'helve'; // elsewhere it was started by an alias
}

/** The command line that runs this Helve from every folder, with the Node of its clone; undefined outside a clone. */
export function ownCommandLine(program: string): string | undefined {
  const own = realPath(program);
  if (own === undefined) return undefined;
  const node = join(dirname(dirname(own)), 'node_modules', '.bin', 'node');
  return existsSync(node) ? `${node} ${own}` : undefined;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
