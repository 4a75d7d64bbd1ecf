// Rules about the project hold in its worktrees: a file there is matched under its own names, and under those that it has
// in the project. A rule that asks or denies matches if any name does; one that allows needs one of each pair.
import { join, relative } from 'node:path';
import type { Effect, FileEffect } from '../contract/effect.js';
import type { UnreadableFiles } from '../contract/tool-context.js';
import { isInside } from '../platform/files/paths.js';

/** A git worktree of the session, with symlinks resolved. */
export interface WorktreePlace {
  /** The top of the worktree. */
  folder: string;
  /** The working tree that it was made from; it may be a worktree itself. */
  top: string;
}

const MAX_LEVELS = 4; // child agents go no deeper

/** The names that a path has in the projects behind its worktree, the nearest first; empty outside of worktrees. */
export function namesInProject(path: string, places: readonly WorktreePlace[]): string[] {
  const names: string[] = [];
  for (let at = path; names.length < MAX_LEVELS; ) {
    const place = places.find(({ folder }) => isInside(folder, at));
    if (!place) break;
    at = join(place.top, relative(place.folder, at));
    names.push(at);
  }
  return names;
}

export const isInWorktree = (path: string, places: readonly WorktreePlace[] = []): boolean =>
  places.some(({ folder }) => isInside(folder, path));

/** The effects with the names that their files have in the project. */
export function withProjectNames(
  effects: readonly Effect[],
  places: readonly WorktreePlace[] | undefined,
): readonly Effect[] {
  if (!places?.length) return effects;
  return effects.map((effect) => (effect.kind === 'file' ? withNames(effect, places) : effect));
}

function withNames(effect: FileEffect, places: readonly WorktreePlace[]): FileEffect {
  const [paths, reals] = [namesInProject(effect.path, places), namesInProject(effect.real, places)];
  const globs = effect.pattern === undefined ? [] : namesInProject(effect.pattern, places);
  const levels = Math.max(paths.length, reals.length, globs.length);
  if (levels === 0) return effect;
  const inProject = Array.from({ length: levels }, (_, level) => ({
    path: paths[level] ?? paths.at(-1) ?? effect.path,
    real: reals[level] ?? reals.at(-1) ?? effect.real, // a link out of the worktree leads to the same file
    ...(effect.pattern !== undefined && { pattern: globs[level] ?? globs.at(-1) ?? effect.pattern }),
  }));
  return { ...effect, inProject };
}

/** The effect as if its file were in the project below this folder; for rules that are saved. */
export function asInProject<One extends Effect>(effect: One, project: readonly string[]): One {
  if (effect.kind !== 'file' || project.some((folder) => isInside(folder, effect.path))) return effect;
  const names = effect.inProject?.find(({ path }) => project.some((folder) => isInside(folder, path)));
  return names ? { ...effect, ...names } : effect;
}

/** What may not be read in the project may not be read in its worktrees. */
export function unreadableInWorktrees(
  files: UnreadableFiles | undefined,
  places: readonly WorktreePlace[],
): UnreadableFiles | undefined {
  if (!files || places.length === 0) return files;
  const allNames = (path: string): string[] => [path, ...namesInProject(path, places)];
  const tops = (folder: string): string[] =>
    places.flatMap((place) => (isInside(folder, place.folder) ? [place.top] : []));
  let starts = [...files.starts];
  for (const _ of places) {
    // One pass for each level: a worktree may be made from another.
    starts = [...new Set(starts.flatMap((start) => [start, ...places.flatMap((place) => inWorktree(start, place))]))];
  }
  return {
    key: `${files.key}\n${places.map(({ folder }) => folder).join('\n')}`,
    starts,
    matches: (path, kind) => allNames(path).some((name) => files.matches(name, kind)),
    mayMatchBelow: (folder) => [...allNames(folder), ...tops(folder)].some((name) => files.mayMatchBelow(name)),
  };
}

function inWorktree(start: string, { folder, top }: WorktreePlace): string[] {
  if (isInside(top, start)) return [join(folder, relative(top, start))];
  return isInside(start, top) ? [folder] : [];
}
