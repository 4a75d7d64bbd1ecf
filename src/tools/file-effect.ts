import { isAbsolute, sep } from 'node:path';
import type { Effect, FileEffect } from '../contract/effect.js';
import type { ToolContext } from '../contract/tool-context.js';
import { dependsOnCwd, fileIdentity, realPathAsWritten, resolveIn } from '../platform/files/paths.js';
import { realTarget } from './path-failure.js';

/** The effects of reading a path: the file by both its names, and the directory if the path is relative. */
export async function readEffects(
  path: string,
  context: Pick<ToolContext, 'cwd'>,
  { tree = false }: { tree?: boolean } = {},
): Promise<Effect[]> {
  const files = await fileEffects(path, context);
  return [...files.map((file) => (tree ? { ...file, tree } : file)), ...directoryEffect(path)];
}

/** The effects of changing a file. Changing includes reading, so both count. */
export async function changeEffects(path: string, context: Pick<ToolContext, 'cwd'>): Promise<Effect[]> {
  const files = await fileEffects(path, context);
  return [...files, ...files.map((file) => ({ ...file, access: 'write' as const })), ...directoryEffect(path)];
}

/** The effects of changing several files, each effect once. */
export async function effectsOfChanges(paths: readonly string[], context: Pick<ToolContext, 'cwd'>): Promise<Effect[]> {
  const effects = await Promise.all(paths.map((path) => changeEffects(path, context)));
  return [...new Map(effects.flat().map((effect) => [JSON.stringify(effect), effect])).values()];
}

/**
 * The effects of reading the file. A path with `..` after a symlink names two files: the one that we open, and the one
 * that other programs would.
 */
async function fileEffects(path: string, { cwd }: Pick<ToolContext, 'cwd'>): Promise<FileEffect[]> {
  const absolute = resolveIn(cwd, path);
  const real = await realTarget(absolute, { cwd });
  const places = [real];
  if (path.split(sep).includes('..')) {
    const asWritten = await realPathAsWritten(isAbsolute(path) ? path : `${cwd}${sep}${path}`).catch(() => real);
    if (asWritten !== real) places.push(asWritten);
  }
  return places.map((place): FileEffect => {
    const identity = fileIdentity(place);
    return { kind: 'file', access: 'read', path: absolute, real: place, ...(identity && { identity }) };
  });
}

const directoryEffect = (path: string): Effect[] =>
  dependsOnCwd(path) ? [{ kind: 'session', access: 'read', what: 'cwd' }] : [];
