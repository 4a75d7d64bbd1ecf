// Git may start programs that a repository's own configuration names, even if it only prints. The environment
// switches off as much as possible; for the rest, the repository is checked before a command counts as harmless.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GitRepositories, GitRepository } from './git-repository.js';
import { judgeRepository, type RepositoryJudgement } from './git-settings.js';

const MAX_SUBMODULES = 100; // checked for one command

/** The verdict on read-only git commands in a folder, including the submodules that they enter. */
export async function judgeFolder(folder: string, repositories: GitRepositories): Promise<RepositoryJudgement> {
  const around = await repositories.lookUp(folder);
  if (around.kind === 'none') return { isPlain: true };
  if (around.kind === 'failed')
    return { isPlain: false, why: `git can't be asked about its repository: ${around.why}` };
  return await withSubmodules(around.repository, repositories, { left: MAX_SUBMODULES });
}

async function withSubmodules(
  repository: GitRepository,
  repositories: GitRepositories,
  budget: { left: number },
): Promise<RepositoryJudgement> {
  const itself = judgeRepository(repository);
  if (itself.why !== undefined) return itself;
  const paths = await repositories.submodules(repository);
  if (paths === undefined) return { isPlain: false, why: "git can't tell which submodules it has" };
  const stored = storedRepositories(join(repository.commonFolder, 'modules'));
  let { needsVariables } = itself;
  for (const path of paths) {
    const folder = join(repository.workTree, path);
    if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) === undefined) continue; // not checked out
    budget.left -= 1;
    if (budget.left < 0) return { isPlain: false, why: `it has more than ${MAX_SUBMODULES} submodules` };
    const around = await repositories.lookUp(folder);
    if (around.kind !== 'repository' || around.repository.root !== folder) {
      return { isPlain: false, why: `git can't be asked about the submodule ${path}` };
    }
    stored?.delete(around.repository.gitFolder);
    const inside = await withSubmodules(around.repository, repositories, budget);
    if (inside.why !== undefined) return { isPlain: false, why: `in the submodule ${path}, ${inside.why}` };
    needsVariables ??= inside.needsVariables;
  }
  const isPlain = itself.isPlain && paths.length === 0 && stored?.size === 0;
  // Submodules that are not checked out are read only if differences are shown commit by commit.
  const shows = repository.settings.findLast(
    ({ key }) => key === 'diff.submodule' || key === 'status.submodulesummary',
  );
  const reads = stored?.size !== 0 && shows !== undefined && !/^(short|false|no|off|0)$/.test(shows.value);
  return {
    isPlain,
    ...(needsVariables && { needsVariables }),
    ...(reads && { why: `by the setting ${shows.key} git reads submodules that are not checked out` }),
  };
}

/** The repositories of submodules that are stored in a repository; undefined if there are too many. */
function storedRepositories(folder: string): Set<string> | undefined {
  const found = new Set<string>();
  const left = [folder];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (left.length > MAX_SUBMODULES) return undefined;
    if (lstatSync(next, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    const isRepository = lstatSync(join(next, 'HEAD'), { throwIfNoEntry: false }) !== undefined;
    if (isRepository) found.add(next);
    if (isRepository) left.push(join(next, 'modules'));
    else left.push(...readdirSync(next).map((name) => join(next, name)));
  }
  return found;
}
