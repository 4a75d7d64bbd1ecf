// The methods under `_helve/`, for what the Agent Client Protocol has no word for: prompts that are kept, several clients
// that follow a session entry by entry, and the host itself. They know nothing of the transport.

import { mayAct } from '../contract/client-role.js';
import type { UserBlock } from '../contract/message.js';
import type { BackgroundHost } from '../host/background-host.js';
import type { HostedSession } from '../host/hosted-session.js';
import { pageOf } from '../host/past-pages.js';
import { entryLine } from '../host/sent-entry.js';
import type { FeedSubscription } from '../host/session-feed.js';
import type { SessionIndex } from '../host/session-index.js';
import { randomId } from '../platform/crypto.js';
import { isObject } from '../platform/is-object.js';
import { messageOf } from '../platform/message-of.js';
import { type AcpExtension, type ExtendedConnection, type Method, notOpened } from './acp-agent.js';
import { AnswerQueue } from './answer-queue.js';
import type { RpcParams } from './json-rpc.js';
import { listMethods } from './list-methods.js';
import { readPrompt } from './prompt-content.js';
import { readAnswer } from './read-answer.js';
import { fieldsOf, invalidParams, readPlace, readSessionId, readText, shown } from './read-params.js';
import { type OptionsOfFolder, readPastLimit, sessionMethods } from './session-methods.js';

/** Raised when a client of an earlier number could misread an answer. */
export const HELVE_PROTOCOL = 1;

export interface HelveMethodsOptions {
  host: BackgroundHost;
  index: SessionIndex;
  dataFolder: string;
  optionsOf: OptionsOfFolder;
  version: string;
  /** Whether an update or a build has replaced the files of the host's program since it started. */
  wasReplaced?(): boolean;
  /** Ends the host; its sessions are interrupted, or with `keepsWork` continued by the next host. */
  onStop(how: { keepsWork: boolean }): void;
  onProblem(sentence: string): void;
}

/** For all connections of a host. */
export function helveMethods(options: HelveMethodsOptions) {
  const { host, index, version, onStop, onProblem } = options;
  const methodsOfSessions = sessionMethods({ ...options, sessions: host.sessions });
  const epoch = randomId();
  const since = Date.now();
  return ({ caller, identity, notify }: ExtendedConnection): AcpExtension => {
    const attaches = new AnswerQueue();
    const listing = listMethods(index, { notify, onProblem });
    const followed = new Map<string, { session: HostedSession; subscription: FeedSubscription }>();

    const detach = (id: string): boolean => {
      const open = followed.get(id);
      if (!open) return false;
      followed.delete(id);
      open.subscription.end();
      host.clientLeft(open.session);
      return true;
    };

    const follow = async (session: HostedSession, subscription: FeedSubscription): Promise<void> => {
      const { id: sessionId, feed } = session;
      for await (const change of subscription) {
        await notify('_helve/session/entry', { sessionId, seq: subscription.seq, ...entryLine(change) });
      }
      if (feed.hasEnded) {
        followed.delete(sessionId);
        await notify('_helve/session/closed', { sessionId });
      }
    };

    const openSession = (params: RpcParams): HostedSession => {
      const id = readText(params, 'sessionId');
      const session = host.sessions.get(id);
      if (session) return session;
      throw invalidParams(`The session ${shown(id)} is not open. Attach to it first.`);
    };

    const methods: Record<string, Method> = {
      ...listing.methods,
      ...methodsOfSessions({ caller }),
      '_helve/host/status': async () => {
        const { isBusy, busySessions, waitingSessions } = host;
        return { ...about(), isBusy, busySessions, waitingSessions };
      },
      '_helve/host/stop': async (params, request) => {
        if (params['ifIdle'] === true && host.isBusy) return { isStopping: false };
        request.afterAnswer(() => onStop({ keepsWork: params['keepsWork'] === true }));
        return { isStopping: true };
      },
      '_helve/prompt': async (params) => {
        const sessionId = readSessionId(params);
        const content: readonly UserBlock[] = readPrompt(params);
        const place = { ...readPlace(params), caller: caller() };
        const promptId = readText(params, 'promptId');
        const { isNew } = await host.accept({ sessionId, promptId, content, place });
        return { sessionId, isNew };
      },
      '_helve/session/attach': attaches.inOrder(async (params, request) => {
        const id = readSessionId(params);
        if (!mayAct(identity().role, 'run') && !host.sessions.get(id)) throw notOpened(id, identity());
        const session = await host.attach(id, caller());
        detach(session.id);
        const after = fieldsOf(params['after']);
        const isKnown = after['epoch'] === session.feed.epoch && typeof after['seq'] === 'number';
        const subscription = session.feed.subscribe(
          isKnown && typeof after['seq'] === 'number' ? { after: after['seq'] } : { fromStart: true },
        );
        followed.set(session.id, { session, subscription });
        const limit = readPastLimit(params, 'pastLimit');
        const page = isKnown ? { past: [] } : pageOf(await session.pastEntries(), { limit });
        request.afterAnswer(() => {
          follow(session, subscription).catch((error: unknown) => onProblem(messageOf(error)));
        });
        const { title, state, agent, facts } = session;
        return {
          sessionId: id,
          epoch: session.feed.epoch,
          seq: subscription.seq,
          title,
          state,
          root: agent.session.root,
          facts,
          ...page,
        };
      }),
      '_helve/session/detach': async (params) => ({ wasAttached: detach(readText(params, 'sessionId')) }),
      '_helve/session/answer': async (params) => {
        const session = openSession(params);
        const id = readText(params, 'questionId');
        const asked = session.questions.list().find((question) => question.id === id);
        if (!asked) return { isAccepted: false }; // it was answered or withdrawn meanwhile
        const { kind, answer } = readAnswer(asked, params['answer'], identity());
        return { isAccepted: session.questions.answer(id, kind, answer) };
      },
      '_helve/session/interrupt': async (params) => {
        const { promptId } = params;
        return { wasBusy: openSession(params).cancel(typeof promptId === 'string' ? promptId : undefined) };
      },
      '_helve/session/stop': async (params) => {
        const told = await host.stop(readSessionId(params));
        return { wasOpen: told !== undefined, told: told ?? [] };
      },
    };

    return {
      methods,
      about: about(),
      end() {
        listing.end();
        for (const id of [...followed.keys()]) detach(id);
      },
    };
  };

  function about() {
    const replaced = options.wasReplaced?.() === true;
    return { protocol: HELVE_PROTOCOL, version, pid: process.pid, since, epoch, ...(replaced && { replaced }) };
  }
}

export interface HelveAbout {
  protocol: number;
  version: string;
  pid: number;
  /** The files of its program were replaced, so it can't load the parts of them that it has not loaded yet. */
  replaced?: boolean;
}

export const isHelveAbout = (value: unknown): value is HelveAbout =>
  isObject(value) &&
  typeof value['protocol'] === 'number' &&
  typeof value['version'] === 'string' &&
  typeof value['pid'] === 'number';
