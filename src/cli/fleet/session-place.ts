// Where a session is to work: a repository or a folder, and the project that is named after it.
import { basename } from 'node:path';
import type { WantedRepository } from '../../fleet/workspace/fleet-workspaces.js';
import { assertRef, assertRepository } from '../../fleet/workspace/repository-address.js';
import { messageOf } from '../../platform/message-of.js';
import { UsageProblem } from '../usage-problem.js';

export interface PlaceValues {
  repo?: string | undefined;
  ref?: string | undefined;
  root?: string | undefined;
}

/** Undefined if the session works in a folder. */
export function repositoryOf({ repo, ref, root }: PlaceValues): WantedRepository | undefined {
  if (repo === undefined) {
    if (ref !== undefined) throw new UsageProblem('--ref is of a repository. Name that with --repo URL.');
    return undefined;
  }
  if (root !== undefined)
    throw new UsageProblem('Give --repo or --root, not both: a repository gets a workspace of its own.');
  try {
    assertRepository(repo);
    if (ref !== undefined) assertRef(ref);
  } catch (error) {
    throw new UsageProblem(messageOf(error));
  }
  return { url: repo, ref };
}

/** Of a folder or a repository. */
export const projectName = (place: string): string =>
  basename(place)
    .replace(/\.git$/, '')
    .replace(/^.*:/, '');
