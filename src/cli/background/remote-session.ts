// A session of the host process, for one client.
import type { RpcParams } from '../../acp/json-rpc.js';
import { fieldsOf } from '../../acp/read-params.js';
import type { EntryLine } from '../../host/sent-entry.js';
import { type HostState, hostStates } from '../../host/session-feed.js';
import { randomId } from '../../platform/crypto.js';
import { EventQueue } from '../../platform/event-queue.js';
import type { AttachedSession } from '../../terminal/attach/attached-session.js';
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
    entries.fail(new HostGone('The host process has ended. Attach to the session again to continue it.')),
  );
  const { title, state, root, past } = await host.request('_helve/session/attach', { sessionId });
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
    async prompt(text) {
      const prompt = [{ type: 'text', text }];
      await host.request('_helve/prompt', { sessionId, promptId: randomId(), cwd, prompt, mcpServers: [] });
    },
    async answer(questionId, answer) {
      const answered = await host.request('_helve/session/answer', { sessionId, questionId, answer });
      return fieldsOf(answered)['isAccepted'] === true;
    },
    async interrupt() {
      await host.request('_helve/session/interrupt', { sessionId });
    },
  };
}

const knownState = (state: unknown): HostState => hostStates.find((known) => known === state) ?? 'idle';
