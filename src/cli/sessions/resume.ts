import { existsSync, realpathSync } from 'node:fs';
import { interruptionNotes } from '../../agent/store/interrupted-calls.js';
import { findSession, projectOf } from '../../agent/store/list-sessions.js';
import { type OpenElsewhere, openElsewhere } from '../../agent/store/open-elsewhere.js';
import { type ResumedSession, resumeSession } from '../../agent/store/resume-session.js';
import { SessionProblem } from '../../agent/store/session-problem.js';
import type { Model } from '../../contract/model.js';
import type { PermissionMode } from '../../contract/permission.js';
import { dataFolderOf } from '../../platform/files/paths.js';
import { visible } from '../../platform/text/visible.js';
import type { CliEngineOptions, EngineFlagValues } from '../engine-options.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';

export interface ResumeRequest {
  /** An id, a prefix of one, or `last`. */
  wanted: string;
  fork?: boolean | undefined;
  /** With `fork`: leaves out everything from this prompt on. */
  beforePrompt?: number | undefined;
  /** Calls of the last answer that had not begun are kept to be run. */
  reopen?: boolean | undefined;
  model: Model;
  /** Default: that of the flags, if they name one; otherwise the session's own. */
  mode?: PermissionMode | undefined;
  /** Says something to the person. Default: on stderr. */
  tell?: ((sentence: string) => void) | undefined;
  /** The surface draws the calls of the history, and reports interrupted ones itself. */
  drawsCalls?: boolean | undefined;
  flags: EngineFlagValues;
  options: Pick<CliEngineOptions, 'env' | 'permissionMode' | 'root' | 'worktree'>;
}

/** Resumes a session of this folder, and tells the user what has changed. Rejects with `SessionProblem` if there is none. */
export async function resume({ flags, options, ...request }: ResumeRequest): Promise<ResumedSession> {
  const { wanted, fork = false, beforePrompt, model, reopen, drawsCalls = false } = request;
  const isModeGiven = flags['permission-mode'] !== undefined || flags['dangerously-skip-permissions'];
  const mode = request.mode ?? (isModeGiven ? options.permissionMode : undefined);
  const dataFolder = dataFolderOf({ env: options.env });
  const root = realpathSync(options.worktree?.root ?? options.root ?? process.cwd());
  const id = await sessionHere(wanted, dataFolder, root);
  const onProblem =
    request.tell ?? ((sentence: string): void => void writeLine(process.stderr, `helve: ${visible(sentence)}`));
  const prices = model.facts?.prices;
  const about = { dataFolder, id, root, model: model.name, prices, fork, beforePrompt, mode, reopen, onProblem };
  const resumed = await resumeSession(about);
  const { notes, interrupted } = resumed.restored;
  for (const note of [...notes, ...(drawsCalls ? [] : interruptionNotes(interrupted))]) onProblem(note);
  return resumed;
}

/**
 * Rejects if there is no such session in this folder. Returns the facts if another process uses it, unless it is to be
 * copied.
 */
export async function findOpenElsewhere(
  { resume: wanted, fork }: { resume: string; fork: boolean },
  env: CliEngineOptions['env'],
  root = process.cwd(),
): Promise<OpenElsewhere | undefined> {
  const dataFolder = dataFolderOf({ env });
  const place = realpathSync(root);
  const id = await sessionHere(wanted, dataFolder, place);
  return fork ? undefined : await openElsewhere(dataFolder, id, { root: place, env });
}

/** Rejects if there is no such session in this folder, or if another process uses it: before anything is drawn. */
export async function assertResumable(
  request: { resume: string; fork: boolean },
  env: CliEngineOptions['env'],
  root = process.cwd(),
): Promise<void> {
  const used = await findOpenElsewhere(request, env, root);
  if (used) throw inUse(used, request.resume);
}

/** With the commands that continue, ready to be copied. */
function inUse({ id, name, place, isInBackground, other }: OpenElsewhere, wanted: string): SessionProblem {
  const short = id.slice(0, 8);
  const advice = [
    ...(isInBackground ? [`  helve attach ${short}  continues it there`] : []),
    ...(wanted === 'last' && other
      ? [`  helve -p --resume ${other.id.slice(0, 8)} "…"  continues the one before it, ${other.name}`]
      : []),
    `  helve -p --resume ${short} --fork "…"  continues in a copy`,
  ];
  const which = wanted === 'last' ? `The last conversation here, ${name},` : name;
  return new SessionProblem('in_use', `${which} is ${place}, and two programs can't continue one conversation.`, {
    advice: `One of these continues:\n${advice.join('\n')}`,
  });
}

async function sessionHere(wanted: string, dataFolder: string, root: string): Promise<string> {
  const id = await findSession(dataFolder, wanted, { root });
  const project = projectOf(dataFolder, id);
  if (project !== undefined && project !== root) throw elsewhere(id, project, root);
  return id;
}

/** Its calls would run in that folder, under this folder's rules. */
function elsewhere(id: string, project: string, here: string): UsageProblem {
  const what = existsSync(project)
    ? `Go there to resume it: cd ${project}`
    : 'That folder no longer exists; restore it first';
  return new UsageProblem(
    `The session ${id} belongs to ${visible(project)} and uses its settings and rules, not those of ${visible(here)}. ${visible(what)}.`,
  );
}
