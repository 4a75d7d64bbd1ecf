// The versions of Node that the package is tried with. Only one of them comes with the dependencies: the CI fetches the
// others, and docs/install.md says how to do it by hand. Where one is missing, its tests are skipped and say so.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const fetched = resolve(process.env['HELVE_NODES'] ?? 'node_modules/.cache/nodes', 'node_modules');

export interface NodeProgram {
  name: string;
  path: string;
  /** Why it can't be used. */
  missing?: string;
}

export const nodes: readonly NodeProgram[] = [
  { name: `Node ${process.versions.node}`, path: process.execPath },
  ...['24', '26'].map((major) => {
    const path = join(fetched, `node-${major}/bin/node`);
    const missing = `${path} is not there: docs/install.md says how to fetch it.`;
    return { name: `Node ${major}`, path, ...(existsSync(path) ? {} : { missing }) };
  }),
];

/** A Node on the path that is too old for Helve, as npm's scripts have it there behind their own. */
export function findOldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders
    .map((folder) => join(folder, 'node'))
    .find((path) => {
      if (!existsSync(path)) return false;
      const [, major = 0, minor = 0] =
        /^v(\d+)\.(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' })) ?? [];
      return Number(major) < 22 || (Number(major) === 22 && Number(minor) < 12);
    });
}
