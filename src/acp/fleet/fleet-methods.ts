// The methods under `_helve/` for the sessions of a fleet. Those that only a host of this machine can have answer with what
// to do instead.
import type { Tool } from '../../contract/tool.js';
import type { FleetServer } from '../../fleet/served/fleet-server.js';
import { questionIdOf, type SessionView } from '../../fleet/served/session-view.js';
import { pastEntries } from '../../host/past-entries.js';
import { pageOf, readPast } from '../../host/past-pages.js';
import { searchSessions } from '../../host/search-sessions.js';
import { entryLine } from '../../host/sent-entry.js';
import { auditPage } from '../../host/session-audit.js';
import type { SessionFacts } from '../../host/session-facts.js';
import type { FeedSubscription } from '../../host/session-feed.js';
import { timelinePage } from '../../host/session-timeline.js';
import type { UsageOverTime } from '../../host/session-usage.js';
import { randomId } from '../../platform/crypto.js';
import { messageOf } from '../../platform/message-of.js';
import type { Method } from '../acp-agent.js';
import { AnswerQueue } from '../answer-queue.js';
import { HELVE_PROTOCOL } from '../helve-methods.js';
import type { RpcParams } from '../json-rpc.js';
import { listMethods, readLimit } from '../list-methods.js';
import { readPrompt } from '../prompt-content.js';
import { readAnswer } from '../read-answer.js';
import {
  absolutePath,
  type ClientIdentity,
  fieldsOf,
  invalidParams,
  readSessionId,
  readText,
  shown,
} from '../read-params.js';
import { readPastLimit, readPosition } from '../session-methods.js';
import { fleetChanges } from './fleet-changes.js';
import { notInFleet, rowOf } from './fleet-scope.js';

const SEARCHED = 50; // sessions: each is fetched first

export interface FleetMethodsOptions {
  server: FleetServer;
  version: string;
  identity(): ClientIdentity;
  accept(prompt: AcceptedPrompt): Promise<{ isNew: boolean }>;
  findTool(name: string): Tool | undefined;
  notify(method: string, params: RpcParams): Promise<void>;
  onProblem(sentence: string): void;
}

export interface AcceptedPrompt {
  sessionId: string;
  promptId: string;
  root: string;
  content: ReturnType<typeof readPrompt>;
}

interface Followed {
  view: SessionView;
  subscription: FeedSubscription;
}

/** For one client. */
export function fleetMethods(options: FleetMethodsOptions) {
  const { server, version, identity, accept, findTool, notify, onProblem } = options;
  const { list, views, copies, prompts, questions, usage } = server;
  const { dataFolder } = copies;
  const since = Date.now();
  const epoch = randomId();
  const large = new AnswerQueue();
  const attaches = new AnswerQueue();
  const scope = () => ({ project: identity().project });
  const listing = listMethods(
    {
      page: async (page) => await list.page({ ...page, ...scope() }),
      watch: (onChange) => list.watch(onChange, scope()),
    },
    { notify, onProblem },
  );
  const followed = new Map<string, Followed>();

  /** The row of a session whose copy is up to date. */
  const fetched = async (params: RpcParams) => {
    const row = await rowOf(server, params, identity());
    await copies.refresh(row.sessionId);
    return row;
  };

  const detach = (id: string): boolean => {
    const open = followed.get(id);
    if (!open) return false;
    followed.delete(id);
    open.subscription.end();
    views.release(id);
    return true;
  };

  const follow = async (sessionId: string, { view, subscription }: Followed): Promise<void> => {
    for await (const change of subscription) {
      await notify('_helve/session/entry', { sessionId, seq: subscription.seq, ...entryLine(change) });
    }
    if (!view.feed.hasEnded) return;
    detach(sessionId);
    await notify('_helve/session/closed', { sessionId });
  };

  const usageOf = (sessionId: string): UsageOverTime | undefined => {
    try {
      return usage.read(sessionId);
    } catch {
      return undefined; // no worker has begun it
    }
  };

  const attach: Method = async (params, request) => {
    const { sessionId, root } = await fetched(params);
    const view = await views.take(sessionId);
    if (!view) return await rowOf(server, params, identity()); // it was removed meanwhile: rejects
    detach(sessionId);
    const { epoch: knownEpoch, seq } = fieldsOf(params['after']);
    const isKnown = knownEpoch === view.feed.epoch && typeof seq === 'number';
    const subscription = view.feed.subscribe(isKnown ? { after: seq } : { fromStart: true });
    const one = { view, subscription };
    followed.set(sessionId, one);
    const limit = readPastLimit(params, 'pastLimit');
    const entries = isKnown ? [] : await Array.fromAsync(pastEntries(view.past(), findTool));
    request.afterAnswer(() => {
      follow(sessionId, one).catch((error: unknown) => onProblem(messageOf(error)));
    });
    return {
      sessionId,
      epoch: view.feed.epoch,
      seq: subscription.seq,
      title: view.row.title,
      state: view.state,
      root,
      facts: view.feed.get('progress', 'progress')?.facts ?? factsOf(usageOf(sessionId)),
      ...pageOf(entries, { limit }),
    };
  };

  const methods: Readonly<Record<string, Method>> = {
    ...listing.methods,
    '_helve/host/status': async () => {
      const states = await list.states();
      const busySessions = (states.get('running') ?? 0) + (states.get('requires_action') ?? 0);
      return { ...about(), isBusy: busySessions > 0, busySessions };
    },
    '_helve/host/stop': async () => {
      throw notInFleet(
        'This server shows a fleet and has no host process.',
        'End a worker with SIGTERM on its machine; its sessions go on elsewhere.',
      );
    },
    '_helve/prompt': async (params) => {
      const sessionId = readSessionId(params);
      const content = readPrompt(params);
      const root = absolutePath(params['cwd'], 'cwd');
      refuseServers(params);
      const { isNew } = await accept({ sessionId, promptId: readText(params, 'promptId'), root, content });
      return { sessionId, isNew };
    },
    '_helve/session/attach': attaches.inOrder(attach),
    '_helve/session/detach': async (params) => ({ wasAttached: detach(readText(params, 'sessionId')) }),
    '_helve/session/answer': async (params) => {
      const { sessionId } = await rowOf(server, params, identity());
      const id = readText(params, 'questionId');
      const open = await questions.open(sessionId);
      const asked = open.find(({ questionId, epoch: run }) => id === `${run}.${questionId}`);
      if (!asked) return { isAccepted: false }; // it was answered or withdrawn meanwhile
      readAnswer({ ...asked.question, id: questionIdOf(id) }, params['answer'], identity());
      return { isAccepted: await questions.answer(asked, params['answer'], identity().actor ?? '') };
    },
    '_helve/session/interrupt': async (params) => {
      const { sessionId } = await rowOf(server, params, identity());
      const { promptId } = params;
      return { wasBusy: (await prompts.cancel(sessionId, typeof promptId === 'string' ? promptId : undefined)) > 0 };
    },
    '_helve/session/stop': async (params) => {
      const { sessionId } = await rowOf(server, params, identity());
      const stopped = await prompts.cancel(sessionId);
      return { wasOpen: stopped > 0, told: [] };
    },
    '_helve/session/read': large.inOrder(async (params) => {
      const { sessionId, title, root } = await fetched(params);
      const before = params['before'];
      const page = { before: typeof before === 'string' ? before : undefined, limit: readPastLimit(params) };
      if (!(await server.store.files(sessionId)).has('session.jsonl')) return { title, root, past: [] };
      return await readPast(dataFolder, sessionId, page);
    }),
    '_helve/session/timeline': large.inOrder(async (params) => {
      const { sessionId, openPrompts } = await fetched(params);
      const feed = openPrompts > 0 ? followed.get(sessionId)?.view.feed : undefined; // the records have what has ended
      const page = timelinePage(dataFolder, sessionId, { from: readPosition(params), limit: readLimit(params), feed });
      return { ...page, promptAt: usageOf(sessionId)?.promptAt ?? null };
    }),
    '_helve/session/audit': large.inOrder(async (params) => {
      const { sessionId } = await fetched(params);
      return auditPage(dataFolder, sessionId, { from: readPosition(params), limit: readLimit(params) });
    }),
    '_helve/session/changes': large.inOrder(async (params) => {
      const row = await fetched(params);
      const view = await views.take(row.sessionId);
      try {
        return view ? await fleetChanges(dataFolder, row, view.pastAndNow()) : { files: [], more: 0 };
      } finally {
        if (view) views.release(row.sessionId);
      }
    }),
    '_helve/session/overview': large.inOrder(async (params) => {
      const { sessionId } = await fetched(params);
      return overviewOf(usageOf(sessionId), followed.get(sessionId)?.view.feed.get('progress', 'progress')?.facts);
    }),
    '_helve/session/options': async () => ({ modes: [], models: [], commands: [] }), // those of the worker that gets it
    '_helve/session/set': async () => {
      throw notInFleet(
        'The mode, the model and the title of a session are those of its worker and its first prompt.',
        'Start workers with --permission-mode and --model, or begin another session.',
      );
    },
    '_helve/session/undo': async (params) => {
      const { sessionId, worker } = await rowOf(server, params, identity());
      const where = worker === null ? 'the worker that made the change' : worker;
      return {
        isDone: false,
        message: `The files are on the workers, so nothing is undone from here. Run helve undo --session ${sessionId} on the machine of ${where}, or send a prompt that asks for it.`,
      };
    },
    '_helve/search': large.inOrder(async (params, { signal }) => {
      const text = readText(params, 'text');
      if (text.length > 200) throw invalidParams('"text" must have at most 200 characters.');
      const { sessions, next } = await list.page({ limit: SEARCHED, ...scope() });
      for (const { sessionId } of sessions) {
        signal.throwIfAborted();
        await copies.refresh(sessionId);
      }
      const found = await searchSessions(dataFolder, sessions, { text, limit: readLimit(params), signal });
      return { ...found, isPartial: found.isPartial || next !== undefined };
    }),
    '_helve/projects/list': async () => {
      const { sessions } = await list.page(scope());
      const roots = new Map(sessions.map(({ root, project }) => [root, project]));
      return { projects: [...roots].map(([root, name]) => ({ root, name, isTrusted: true })) };
    },
  };

  return {
    methods,
    about: about(),
    detach,
    end() {
      listing.end();
      for (const id of [...followed.keys()]) detach(id);
    },
  };

  function about() {
    return { protocol: HELVE_PROTOCOL, version, pid: process.pid, since, epoch, isFleet: true };
  }
}

/** Commands of a client would run on a machine that is not its own. */
export function refuseServers({ mcpServers, additionalDirectories }: RpcParams): void {
  const isGiven = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
  if (!isGiven(mcpServers) && !isGiven(additionalDirectories)) return;
  const given = shown(isGiven(mcpServers) ? mcpServers : additionalDirectories);
  throw invalidParams(
    `Sessions of a fleet take no "mcpServers" and no "additionalDirectories" of clients, but were given ${given}. Start the workers with --mcp-config and --add-dir.`,
  );
}

function factsOf(used: UsageOverTime | undefined): SessionFacts {
  return {
    mode: 'default',
    model: used?.model ?? '',
    todos: used?.todos ?? [],
    costUsd: used?.total?.costUsd ?? null,
    contextTokens: used?.points.at(-1)?.contextTokens ?? 0,
    contextWindow: 0,
  };
}

function overviewOf(used: UsageOverTime | undefined, facts: SessionFacts | undefined) {
  const known = facts ?? factsOf(used);
  return {
    todos: known.todos,
    mode: facts?.mode ?? used?.mode ?? 'default',
    model: known.model,
    contextTokens: known.contextTokens,
    contextWindow: known.contextWindow > 0 ? known.contextWindow : null,
    contextParts: [],
    costUsd: known.costUsd,
    budgets: [],
    usage: used?.points ?? [],
  };
}
