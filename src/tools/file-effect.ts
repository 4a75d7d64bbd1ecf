import type { Effect, FileEffect } from '../contract/effect.js';
import type { ToolContext } from '../contract/tool-context.js';
import { fileIdentity, resolveIn, startsInCwd } from '../platform/files/paths.js';
import { realTarget } from './path-failure.js';

/** What reading a path touches: the file by both its names, and the directory where the path is relative. */
export async function readEffects(
  path: string,
  context: Pick<ToolContext, 'cwd'>,
  { tree = false }: { tree?: boolean } = {},
): Promise<Effect[]> {
  const file = await fileEffect('read', path, context);
  return [tree ? { ...file, tree } : file, ...directoryEffect(path)];
}

/** What changing a file touches. Whoever changes it looks at it too, so both count. */
export async function changeEffects(path: string, context: Pick<ToolContext, 'cwd'>): Promise<Effect[]> {
  const file = await fileEffect('read', path, context);
  return [file, { ...file, access: 'write' }, ...directoryEffect(path)];
}

async function fileEffect(
  access: FileEffect['access'],
  path: string,
  { cwd }: Pick<ToolContext, 'cwd'>,
): Promise<FileEffect> {
  const absolute = resolveIn(cwd, path);
  const real = await realTarget(absolute, { cwd });
  const identity = await fileIdentity(real);
  return { kind: 'file', access, path: absolute, real, ...(identity && { identity }) };
}

const directoryEffect = (path: string): Effect[] =>
  startsInCwd(path) ? [{ kind: 'session', access: 'read', what: 'cwd' }] : [];
