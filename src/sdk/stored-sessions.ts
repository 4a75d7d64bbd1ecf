import { realpathSync } from 'node:fs';
import { findSession, listSessions as listFrom, projectOf } from '../agent/store/list-sessions.js';
import { movedSpareData } from '../agent/store/moved-spare-data.js';
import { type ResumedSession, resumeSession } from '../agent/store/resume-session.js';
import { SessionProblem } from '../agent/store/session-problem.js';
import type { Model } from '../contract/model.js';
import type { PermissionMode } from '../contract/permission.js';
import type { SessionSummary } from '../contract/session-summary.js';
import { dataFolderOf, homeFolder } from '../platform/files/paths.js';

/** Where sessions are searched for. */
interface SessionLookup {
  root?: string | undefined;
  dataFolder?: string | undefined;
  env?: Readonly<Record<string, string | undefined>> | undefined;
  home?: string | undefined;
}

interface ResumeRequest extends SessionLookup {
  session: string;
  fork: boolean;
  beforePrompt: number | undefined;
  model: Model;
  mode: PermissionMode | undefined;
  onProblem: ((sentence: string) => void) | undefined;
}

export async function openStoredSession(request: ResumeRequest): Promise<ResumedSession> {
  const { session, fork, beforePrompt, model, mode, onProblem } = request;
  const root = realpathSync(request.root ?? process.cwd());
  const dataFolder = folderOf(request);
  for (const sentence of await movedSpareData(dataFolder)) onProblem?.(sentence);
  const id = await findSession(dataFolder, session, { root }).catch(withSdkAdvice);
  const project = projectOf(dataFolder, id);
  if (project !== undefined && project !== root) {
    throw new TypeError(
      `The session ${id} belongs to ${project} and uses the rules of that project, not those of ${root}. Pass that folder as root.`,
    );
  }
  const prices = model.facts?.prices;
  const about = { dataFolder, id, root, model: model.name, prices, fork, beforePrompt, mode, onProblem };
  return await resumeSession(about).catch(withSdkAdvice);
}

/** Names the functions of the SDK instead of the commands. */
function withSdkAdvice(problem: unknown): never {
  if (!(problem instanceof SessionProblem)) throw problem;
  const { kind, fact } = problem;
  const advice = adviceOf[kind];
  throw new SessionProblem(kind, fact, { ...(advice !== undefined && { advice }), cause: problem });
}

const adviceOf: Partial<Record<SessionProblem['kind'], string>> = {
  unknown: 'listSessions() returns those there are.',
  in_use: 'Call end() of the agent that has it, or set fork: true to continue from its last complete turn in a copy.',
};

export async function listStoredSessions({ root, ...place }: SessionLookup): Promise<SessionSummary[]> {
  const dataFolder = folderOf(place);
  await movedSpareData(dataFolder);
  return await listFrom(dataFolder, root === undefined ? {} : { root: realpathSync(root) });
}

function folderOf({ dataFolder, env = process.env, home = homeFolder() }: SessionLookup): string {
  return dataFolder ?? dataFolderOf({ env, ...(home !== undefined && { home }) });
}
