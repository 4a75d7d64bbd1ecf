import { isAbsolute } from 'node:path';
import type { Effect, FileEffect } from '../contract/effect.js';
import type { ToolContext } from '../contract/tool-context.js';
import { fileIdentity, realPath, resolveIn } from '../platform/files/paths.js';

/** The effects of a tool that touches one path: the file by both its names, and the directory where the path is relative. */
export async function fileEffects(
  access: FileEffect['access'],
  path: string,
  { cwd }: Pick<ToolContext, 'cwd'>,
  options: { tree?: boolean } = {},
): Promise<Effect[]> {
  const absolute = resolveIn(cwd, path);
  const real = await realPath(absolute);
  const identity = await fileIdentity(real);
  const effects: Effect[] = [
    { kind: 'file', access, path: absolute, real, ...(identity && { identity }), ...(options.tree && { tree: true }) },
  ];
  if (!isAbsolute(path) && !path.startsWith('~')) effects.push({ kind: 'session', access: 'read', what: 'cwd' });
  return effects;
}
