import { existsSync, realpathSync } from 'node:fs';
import { withoutSecrets } from '../compose/visible-environment.js';
import { dataFolderOf, isInside, realPathSync } from '../platform/files/paths.js';
import { createGitRepositories } from '../platform/shell/git-repository.js';
import { judgeRepository } from '../platform/shell/git-settings.js';
import { counted } from '../platform/text/counted.js';
import { jsonText } from '../platform/text/json-line.js';
import { shownLine } from '../platform/text/shown-line.js';
import { finishWorktree, release, removeWorktree } from '../platform/worktrees/finish-worktree.js';
import type { WorktreeHooks } from '../platform/worktrees/hooked-worktree.js';
import { OwnGit } from '../platform/worktrees/own-git.js';
import { repairWorktrees } from '../platform/worktrees/repair-worktrees.js';
import { changesIn, type WorktreeChanges } from '../platform/worktrees/worktree-changes.js';
import {
  type FoundRecords,
  findRecords,
  isUsed,
  takeRecord,
  type WorktreeRecord,
} from '../platform/worktrees/worktree-record.js';
import { readArgs } from './args.js';
import { chooseAction } from './choose-action.js';
import { exitCode } from './exit-codes.js';
import { UsageProblem } from './usage-problem.js';
import { describeOutcome, tell } from './worktree/session-worktree.js';
import { writeLine } from './write-line.js';

const actions: Readonly<Record<string, (argv: readonly string[]) => Promise<number>>> = {
  list,
  merge,
  remove,
  clean,
};

/** Shows and manages the git worktrees of sessions and child agents. */
export async function worktree(argv: readonly string[]): Promise<number> {
  const [first = 'list', ...rest] = argv[0]?.startsWith('-') ? ['list', ...argv] : argv;
  const action = chooseAction('worktree', first, actions, `There are: ${Object.keys(actions).join(', ')}.`);
  await tell(await repairWorktrees(dataFolderOf(), process.env));
  return await action(rest);
}

interface Looked {
  record: WorktreeRecord;
  git: OwnGit;
  changes: WorktreeChanges;
  isUsed: boolean;
}

/** Undefined, with a message, if git could start programs of the repository and a person does not trust the project. */
async function look(record: WorktreeRecord): Promise<Looked | undefined> {
  const found = await createGitRepositories(process.env).lookUp(record.folder);
  const why = found.kind === 'repository' ? judgeRepository(found.repository).why : undefined;
  if (why !== undefined && !(await isTrusted(record.project))) {
    await tell([`the worktree ${record.name} was not looked at, since ${record.project} is not trusted: ${why}`]);
    return undefined;
  }
  const git = new OwnGit(withoutSecrets(process.env));
  return { record, git, changes: await changesIn(git, record), isUsed: await isUsed(record) };
}

/** Those of the project, for a worktree that a hook has made. */
async function hooksOf({ slot, project }: WorktreeRecord): Promise<WorktreeHooks | undefined> {
  if (slot === undefined) return undefined;
  const { readSettings } = await import('../settings/load.js');
  const { hooksBeforeSession, worktreeHooks } = await import('../compose/worktree-hooks.js');
  const settings = await readSettings({ root: project, env: process.env });
  const hooks = hooksBeforeSession(settings, { root: project, env: withoutSecrets(process.env) });
  return worktreeHooks({ hooks, tell: (sentence) => void tell([sentence]) });
}

async function isTrusted(root: string): Promise<boolean> {
  const { readSettings } = await import('../settings/load.js');
  return (await readSettings({ root, env: process.env })).trust.state === 'trusted';
}

const found = (): FoundRecords => findRecords(realPathSync(dataFolderOf()));

/** `in use`, `changed`, `unchanged`, or `gone` if its folder is. */
function stateOf({ changes, isUsed }: Looked): string {
  if (isUsed) return 'in use';
  if (changes.isGone) return 'gone';
  return changes.hasWork ? 'changed' : 'unchanged';
}

async function list(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' } });
  if (positionals.length > 0)
    throw new UsageProblem(`helve worktree list takes no argument such as "${positionals[0]}".`);
  const { records, strays } = found();
  const looked: Looked[] = [];
  // One by one: each starts several processes.
  for (const record of records) looked.push(...[await look(record)].filter((one) => one !== undefined));
  if (values.json) {
    const { folderBytes } = await import('./worktree/folder-bytes.js');
    const rows = await Promise.all(
      looked.map(async (one) => {
        const { name, branch, project, folder, base, at, isOfAgent = false } = one.record;
        const { files, commits, holds } = one.changes;
        const bytes = await folderBytes(folder);
        return {
          name,
          state: stateOf(one),
          branch,
          project,
          folder,
          base,
          created: at,
          of_agent: isOfAgent,
          commits,
          files,
          holds,
          bytes,
        };
      }),
    );
    await writeLine(process.stdout, jsonText(rows));
  } else if (records.length === 0) {
    await writeLine(process.stderr, 'No worktrees. helve --worktree [NAME] starts a session in one.');
  } else {
    const { folderBytes, shownBytes } = await import('./worktree/folder-bytes.js');
    for (const one of looked) {
      const { name, branch, project, folder } = one.record;
      const { files, commits, holds } = one.changes;
      const facts = [
        stateOf(one),
        counted(files.length, 'changed file'),
        counted(commits, 'commit'),
        shownBytes(await folderBytes(folder)),
      ];
      await writeLine(process.stdout, shownLine(`${name}  ${facts.join(', ')}`));
      for (const line of [`branch ${branch} of ${project}`, folder, ...holds])
        await writeLine(process.stdout, `  ${shownLine(line)}`);
    }
  }
  await tell(
    strays.map(
      (path) => `${path} is not a worktree that Helve has a valid record of; look at it and remove it by hand`,
    ),
  );
  return exitCode.ok;
}

/** The worktree of that name: of the project here, else the only one of that name. */
async function named(positionals: readonly string[], usage: string): Promise<Looked> {
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageProblem(usage);
  const { records } = found();
  const all = records.filter((record) => record.name === name);
  const here = realpathSync(process.cwd());
  const near = all.filter(({ top, folder }) => isInside(top, here) || isInside(folder, here));
  const [record, other] = near.length > 0 ? near : all;
  if (!record) {
    const known = records.map((one) => one.name).join(', ');
    throw new UsageProblem(
      `There is no worktree "${name}". ${known === '' ? 'There are none.' : `There are: ${known}.`}`,
    );
  }
  if (other)
    throw new UsageProblem(
      `There are several worktrees "${name}". Go to the project that is meant: ${all.map(({ project }) => project).join(', ')}.`,
    );
  const looked = await look(record);
  if (!looked) throw new UsageProblem('Nothing was done. Trust the project first: start helve there.');
  const taken = await takeRecord(record);
  if (taken) return { ...looked, record: taken };
  throw new UsageProblem(`The worktree ${name} is in use by process ${record.owner?.pid}. End that session first.`);
}

/** Work on a worktree that this process has taken; it is free again if that fails. */
async function freedOnFailure<Result>(record: WorktreeRecord, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await release(record).catch(() => {});
    throw error;
  }
}

async function merge(argv: readonly string[]): Promise<number> {
  const { positionals } = readArgs(argv, {});
  const { record, git } = await named(positionals, 'helve worktree merge takes the name of one worktree.');
  const message = `Changes of a Helve session in the worktree ${record.name}`;
  const hooks = await hooksOf(record);
  const outcome = await freedOnFailure(record, () => finishWorktree(record, git, { end: 'merge', message, hooks }));
  await tell(describeOutcome(placeOf(record), outcome));
  return outcome.outcome === 'kept' ? exitCode.failed : exitCode.ok;
}

/** Ends the worktree of a session that no process has open, as it was asked for or as settings say. Returns sentences. */
export async function endWorktreeAt(root: string): Promise<string[]> {
  const record = found().records.find(({ folder }) => isInside(folder, root));
  if (!record) return [];
  const looked = await look(record);
  const taken = looked && (await takeRecord(record));
  if (!taken) return [`the worktree ${record.name} stays as it is: ${record.folder}`];
  const { readSettings } = await import('../settings/load.js');
  const { worktree } = await readSettings({ root: record.project, env: process.env });
  const end = record.end ?? worktree.end?.value ?? 'keep';
  const message = `Changes of a Helve session in the worktree ${record.name}`;
  const hooks = await hooksOf(record);
  const outcome = await freedOnFailure(taken, () => finishWorktree(taken, looked.git, { end, message, hooks }));
  return describeOutcome(placeOf(record), outcome);
}

async function remove(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { force: { type: 'boolean', short: 'f' } });
  const { record, git, changes } = await named(positionals, 'helve worktree remove takes the name of one worktree.');
  if (changes.hasWork && !values.force && !(await isMerged(record, git, changes))) {
    await release(record);
    const what = [counted(changes.files.length, 'changed file'), ...changes.holds].join('; ');
    throw new UsageProblem(
      `The worktree ${record.name} was not removed: it has what is nowhere else (${what}). Merge it with "helve worktree merge ${record.name}", or drop its changes and its branch with --force.`,
    );
  }
  await removeWorktree(record, git, changes, await hooksOf(record));
  const gone = changes.tip === undefined || changes.tip === record.base ? '' : `; its last commit was ${changes.tip}`;
  await tell([`the worktree ${record.name} was removed with its branch ${record.branch}${gone}`]);
  return exitCode.ok;
}

/** Whether all of it is in the branch of the project. */
async function isMerged({ top }: WorktreeRecord, git: OwnGit, changes: WorktreeChanges): Promise<boolean> {
  const { tip, uncommitted, holds } = changes;
  if (tip === undefined || uncommitted.length > 0 || holds.length > 0 || !existsSync(top)) return false;
  return (await git.run(top, ['merge-base', '--is-ancestor', tip, 'HEAD'])).code === 0;
}

async function clean(argv: readonly string[]): Promise<number> {
  const { positionals } = readArgs(argv, {});
  if (positionals.length > 0)
    throw new UsageProblem('helve worktree clean takes no argument: it removes what is unchanged or merged.');
  let removed = 0;
  for (const record of found().records) {
    const one = await look(record);
    if (!one || one.isUsed || (one.changes.hasWork && !(await isMerged(record, one.git, one.changes)))) continue;
    const taken = await takeRecord(record);
    if (!taken) continue;
    await removeWorktree(taken, one.git, one.changes, await hooksOf(record));
    await tell([`the worktree ${record.name} of ${record.project} was removed`]);
    removed += 1;
  }
  const kept = found().records.length;
  await tell([
    `${counted(removed, 'worktree')} removed; ${kept} with changes or in use ${kept === 1 ? 'is' : 'are'} kept`,
  ]);
  return exitCode.ok;
}

const placeOf = (record: WorktreeRecord) => ({ ...record, root: record.folder, gitWrites: [], gitKeeps: [] });
