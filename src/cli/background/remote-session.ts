// A session of the host process, for one client.
import { RpcError, type RpcParams, rpcCodes } from '../../acp/json-rpc.js';
import { fieldsOf } from '../../acp/read-params.js';
import type { EntryLine } from '../../host/sent-entry.js';
import type { SessionFacts } from '../../host/session-facts.js';
import { type HostState, hostStates } from '../../host/session-feed.js';
import { EventQueue } from '../../platform/event-queue.js';
import { isObject } from '../../platform/is-object.js';
import type { AttachedSession } from '../../terminal/attach/attached-session.js';
import { SHORT_CHARS } from './background-sessions.js';
import { type HostClient, HostGone } from './host-client.js';

/** Attaches to the session. What an earlier host has left unfinished goes on with this client's environment. */
export async function attachTo(host: HostClient, sessionId: string): Promise<AttachedSession> {
  const entries = new EventQueue<EntryLine>();
  const early: RpcParams[] = [];
  let isListed = false;
  const take = (params: RpcParams): void => {
    if (params['sessionId'] === sessionId) entries.push(params as unknown as EntryLine); // of a host with our protocol
  };
  host.listen((method, params) => {
    if (method === '_helve/session/closed' && params['sessionId'] === sessionId) entries.end();
    if (method !== '_helve/session/entry') return;
    if (isListed) take(params);
    else early.push(params);
  });
  void host.closed.then(() =>
    entries.fail(
      new HostGone(
        `The host process of the background sessions has ended: it was stopped or killed. What the session has done is kept. To continue it: helve attach ${sessionId.slice(0, SHORT_CHARS)}`,
      ),
    ),
  );
  const { title, state, root, past, facts } = await host.request('_helve/session/attach', { sessionId });
  for (const entry of Array.isArray(past) ? past : []) entries.push({ entry, isNew: true, from: 0 });
  isListed = true;
  for (const params of early) take(params);
  const cwd = typeof root === 'string' ? root : '/';
  return {
    id: sessionId,
    root: cwd,
    title: typeof title === 'string' ? title : '',
    state: knownState(state),
    entries,
    facts: isObject(facts) ? (facts as unknown as SessionFacts) : undefined, // of a host with our protocol
    async prompt({ id: promptId, text, images = [] }) {
      const pictures = images.map(({ source: { data, media_type: mimeType } }) => ({ type: 'image', data, mimeType }));
      const prompt = [...pictures, { type: 'text', text }];
      await host.request('_helve/prompt', { sessionId, promptId, cwd, prompt, mcpServers: [] });
    },
    async answer(questionId, answer) {
      const answered = await host.request('_helve/session/answer', { sessionId, questionId, answer });
      return fieldsOf(answered)['isAccepted'] === true;
    },
    async interrupt(promptId) {
      await host.request('_helve/session/interrupt', { sessionId, ...(promptId !== undefined && { promptId }) });
    },
    async set(change) {
      try {
        await host.request('_helve/session/set', { sessionId, ...change });
      } catch (error) {
        if (!(error instanceof RpcError) || error.code !== rpcCodes.methodNotFound) throw error;
        throw new Error(
          `The host process is Helve ${host.about.version}, which can't change this from here. End the host with helve host stop, and attach again.`,
          { cause: error },
        );
      }
    },
  };
}

const knownState = (state: unknown): HostState => hostStates.find((known) => known === state) ?? 'idle';
