// The methods about the list of all sessions: a page of it, and what changes in it.
import type { RowChanges, SessionIndex } from '../host/session-index.js';
import { messageOf } from '../platform/message-of.js';
import type { ExtendedConnection, Method } from './acp-agent.js';
import type { RpcParams } from './json-rpc.js';
import { invalidParams, shown } from './read-params.js';

const MAX_PAGE = 200;

interface ListMethodsOptions extends Pick<ExtendedConnection, 'notify'> {
  onProblem(sentence: string): void;
}

export function listMethods(index: Pick<SessionIndex, 'page' | 'watch'>, { notify, onProblem }: ListMethodsOptions) {
  let stop: (() => void) | undefined;
  const methods: Record<string, Method> = {
    '_helve/sessions/list': async (params) => {
      const query = optionalText(params, 'query');
      const before = optionalText(params, 'before');
      return await index.page({
        ...(query !== undefined && { query }),
        ...(before !== undefined && { before }),
        limit: readLimit(params),
      });
    },
    '_helve/sessions/watch': async (_, request) => {
      request.afterAnswer(() => {
        stop ??= index.watch(
          latestOnly(async (changes) => await notify('_helve/sessions/changed', { ...changes }), onProblem),
        );
      });
      return {};
    },
    '_helve/sessions/unwatch': async () => {
      end();
      return {};
    },
  };
  const end = (): void => {
    stop?.();
    stop = undefined;
  };
  return { methods, end };
}

/** Sends one after the other. While a client reads slowly, its changes are gathered, each session once. */
function latestOnly(send: (changes: RowChanges) => Promise<void>, onProblem: (sentence: string) => void) {
  const rows = new Map<string, RowChanges['sessions'][number] | undefined>();
  let isSending = false;
  const sendAll = async (): Promise<void> => {
    isSending = true;
    while (rows.size > 0) {
      const gathered = [...rows];
      rows.clear();
      const sessions = gathered.flatMap(([, row]) => row ?? []);
      await send({ sessions, removed: gathered.flatMap(([id, row]) => (row ? [] : [id])) });
    }
    isSending = false;
  };
  return ({ sessions, removed }: RowChanges): void => {
    for (const row of sessions) rows.set(row.sessionId, row);
    for (const id of removed) rows.set(id, undefined);
    if (!isSending) sendAll().catch((error: unknown) => onProblem(messageOf(error)));
  };
}

export function readLimit(params: RpcParams): number {
  const { limit = MAX_PAGE } = params;
  if (typeof limit === 'number' && Number.isInteger(limit) && limit > 0) return Math.min(limit, MAX_PAGE);
  throw invalidParams(`"limit" must be a whole number from 1 to ${MAX_PAGE}, but was ${shown(limit)}.`);
}

export function optionalText(params: RpcParams, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value.length <= 1_000) return value;
  throw invalidParams(`"${name}" must be a text of at most 1000 characters, but was ${shown(value)}.`);
}
