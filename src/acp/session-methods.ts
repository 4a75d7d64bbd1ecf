// The methods about one session, open or not: what it has said, used, changed and done.

import { basename } from 'node:path';
import { titleOf } from '../agent/store/session-title.js';
import { sum } from '../agent/usage-by-model.js';
import type { HostedSession } from '../host/hosted-session.js';
import { readPast } from '../host/past-pages.js';
import { searchSessions } from '../host/search-sessions.js';
import { auditPage } from '../host/session-audit.js';
import { sessionChanges, undoCall } from '../host/session-changes.js';
import type { SessionHost } from '../host/session-host.js';
import type { SessionIndex, SessionRow } from '../host/session-index.js';
import { timelinePage } from '../host/session-timeline.js';
import { SessionUsageReader } from '../host/session-usage.js';
import { trustState } from '../settings/trust.js';
import type { ExtendedConnection, Method } from './acp-agent.js';
import { AnswerQueue } from './answer-queue.js';
import { RpcError, type RpcParams, rpcCodes } from './json-rpc.js';
import { optionalText, readLimit } from './list-methods.js';
import { absolutePath, invalidParams, readSessionId, readText, shown } from './read-params.js';
import { checkMode, configOptionsOf, modesOf, setMode, setOption } from './session-options.js';
import { commandsOf } from './session-updates.js';

const MAX_PAST = 2_000;
const MAX_PROJECTS = 200;

/** What a session in a folder could have, before there is one. */
export type OptionsOfFolder = (folder: string, caller: ReturnType<ExtendedConnection['caller']>) => Promise<unknown>;

export interface SessionMethodsOptions {
  sessions: SessionHost;
  index: SessionIndex;
  dataFolder: string;
  optionsOf: OptionsOfFolder;
}

/** For all connections of a host. */
export function sessionMethods({ sessions, index, dataFolder, optionsOf }: SessionMethodsOptions) {
  const usage = new SessionUsageReader(dataFolder);
  const rowOf = async (params: RpcParams): Promise<SessionRow> => {
    const id = readSessionId(params);
    const row = await index.row(id);
    if (row) return row;
    throw new RpcError(
      rpcCodes.notFound,
      `There is no session ${shown(id)}. _helve/sessions/list has those there are.`,
    );
  };
  const openSession = (params: RpcParams): HostedSession => {
    const id = readSessionId(params);
    const session = sessions.get(id);
    if (session) return session;
    throw new RpcError(rpcCodes.notFound, `The session ${shown(id)} is not open. Attach to it first.`);
  };

  const large = {
    '_helve/session/read': async (params) => {
      const { sessionId } = await rowOf(params);
      return await readPast(dataFolder, sessionId, {
        before: optionalText(params, 'before'),
        limit: readPastLimit(params),
      });
    },
    '_helve/session/timeline': async (params) => {
      const { sessionId } = await rowOf(params);
      const feed = sessions.get(sessionId)?.feed;
      const page = timelinePage(dataFolder, sessionId, { from: readPosition(params), limit: readLimit(params), feed });
      return { ...page, promptAt: usage.read(sessionId).promptAt ?? null };
    },
    '_helve/session/audit': async (params) => {
      const { sessionId } = await rowOf(params);
      return auditPage(dataFolder, sessionId, { from: readPosition(params), limit: readLimit(params) });
    },
    '_helve/session/changes': async (params) => {
      const { sessionId, root } = await rowOf(params);
      return await sessionChanges(dataFolder, sessionId, root);
    },
    '_helve/search': async (params, { signal }) => {
      const text = readText(params, 'text');
      if (text.length > 200) throw invalidParams('"text" must have at most 200 characters.');
      const rows = await index.all();
      return await searchSessions(dataFolder, rows, { text, limit: readLimit(params), signal });
    },
  } satisfies Record<string, Method>;
  const inOrder = (): Record<string, Method> => {
    const queue = new AnswerQueue();
    return Object.fromEntries(Object.entries(large).map(([name, method]) => [name, queue.inOrder(method)]));
  };

  return ({ caller }: Pick<ExtendedConnection, 'caller'>): Record<string, Method> => ({
    ...inOrder(),
    '_helve/session/overview': async (params) => {
      const row = await rowOf(params);
      return overviewOf(row, usage, sessions.get(row.sessionId));
    },
    '_helve/session/undo': async (params) => {
      const { sessionId, root, state } = await rowOf(params);
      if (state === 'running' || state === 'requires_action') {
        return {
          isDone: false,
          message: 'The session is at work. Interrupt it, or wait until it has ended, then undo.',
        };
      }
      return await undoCall(dataFolder, sessionId, { callId: readText(params, 'callId'), root });
    },
    '_helve/session/set': async (params) => {
      const session = openSession(params);
      const { mode, model, title } = params;
      const name = title === undefined ? undefined : readTitle(params);
      if (mode !== undefined) checkMode(session, mode); // all of it is set or nothing
      if (model !== undefined) await setOption(session, 'model', model);
      if (mode !== undefined) setMode(session, mode);
      if (name !== undefined) session.rename(name);
      session.noteChange();
      return { mode: session.agent.mode, model: session.conversation.model.current, title: session.title };
    },
    '_helve/session/options': async (params) => {
      if (params['sessionId'] === undefined) return await optionsOf(absolutePath(params['cwd'], 'cwd'), caller());
      const session = openSession(params);
      const models = configOptionsOf(session).find(({ id }) => id === 'model');
      return {
        modes: modesOf(session).availableModes,
        models: (models?.options ?? []).map(({ value, name, description }) => ({ id: value, name, description })),
        commands: await commandsOf(session.agent),
      };
    },
    '_helve/projects/list': async () => {
      const roots = new Map((await index.all()).map(({ root, project }) => [root, project]));
      const folder = caller()?.folder;
      if (folder !== undefined && !roots.has(folder)) roots.set(folder, basename(folder));
      const projects = [...roots].slice(0, MAX_PROJECTS).map(([root, name]) => {
        const { state } = trustState(root, [], { dataFolder });
        return { root, name, isTrusted: state === 'trusted' };
      });
      return { projects };
    },
  });
}

function overviewOf(row: SessionRow, usage: SessionUsageReader, session: HostedSession | undefined) {
  const { points, total, todos, mode, model } = usage.read(row.sessionId);
  const context = session?.agent.contextUsage();
  const parts = context ? (['system', 'tools', 'messages', 'results'] as const) : [];
  return {
    todos: session?.agent.session.todos ?? todos,
    mode: session?.agent.mode ?? mode ?? 'default',
    model: session?.conversation.model.current ?? model ?? '',
    contextTokens: context ? Math.round(context.total) : (points.at(-1)?.contextTokens ?? 0),
    contextWindow: context ? context.window : null,
    contextParts: parts.map((name) => ({ name, tokens: Math.round(context?.[name] ?? 0) })),
    costUsd: session
      ? sum(session.conversation.spentUsd, session.agent.session.used.costUsd)
      : (total?.costUsd ?? row.costUsd),
    budgets: (session?.agent.budget.uses() ?? []).map(({ scope, unit, limit, spent }) => ({
      name: scope,
      used: spent,
      limit,
      unit,
    })),
    usage: points,
  };
}

/** In the form of every title: one short line. */
function readTitle(params: RpcParams): string {
  const title = titleOf([{ type: 'text', text: readText(params, 'title') }]);
  if (title !== '') return title;
  throw invalidParams('"title" must have a character that can be seen.');
}

/** A position that was given as `next`. */
export function readPosition(params: RpcParams): number {
  const after = params['after'] ?? '0';
  if (typeof after === 'string' && /^\d{1,15}$/.test(after)) return Number(after);
  throw invalidParams(`"after" is not one that was given: ${shown(after)}.`);
}

export function readPastLimit(params: RpcParams, name = 'limit'): number {
  const limit = params[name] ?? MAX_PAST;
  if (typeof limit === 'number' && Number.isInteger(limit) && limit > 0) return Math.min(limit, MAX_PAST);
  throw invalidParams(`"${name}" must be a whole number from 1 to ${MAX_PAST}, but was ${shown(limit)}.`);
}
