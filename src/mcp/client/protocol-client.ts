// Our side of the protocol: the requests and notifications that a server may send.
import { pathToFileURL } from 'node:url';
import { Client, type JSONRPCResponse, ProtocolError } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { AskUser } from '../../contract/question.js';
import { isObject } from '../../platform/is-object.js';
import { plainLine, plainText } from '../../platform/text/plain-text.js';
import { elicit } from './elicit.js';
import type { Offered } from './offered.js';

const MAX_SENTENCE = 600;
const MAX_QUESTIONS = 30; // per server and session; more questions would only annoy the user

export interface ProtocolClientOptions {
  name: string;
  /** The folders that the server is given as roots. */
  roots(): readonly string[];
  /** Asks the user a server's question; see `oneByOne`. */
  askUser: AskUser | undefined;
  /** The server has sent a log message. */
  onLog(level: string, text: string): void;
  onStale(client: Client, kind: keyof Offered): void;
  /** How long to wait for the answer to `server/discover`. */
  probeMs: number;
}

export function protocolClient({ name, roots, askUser, onLog, onStale, probeMs }: ProtocolClientOptions): Client {
  const client = new UncheckedClient(
    { name: 'helve', version: clientVersion },
    {
      capabilities: {
        roots: { listChanged: true },
        elicitation: { form: {}, url: {} },
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } },
    },
  );
  client.setRequestHandler('roots/list', () => rootsAnswer(roots()));
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) =>
    elicit(name, { ...params }, askUser, mcpReq.signal),
  );
  client.fallbackRequestHandler = async ({ method }) => {
    const why = method.startsWith('sampling/')
      ? 'Helve does not let servers use its model: a server that needs one brings its own.'
      : `Helve does not answer ${plainLine(method, 60)}.`;
    throw new ProtocolError(-32601, why);
  };
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const text = typeof params.data === 'string' ? params.data : (JSON.stringify(params.data) ?? '');
    onLog(params.level, plainText(text, MAX_SENTENCE));
  });
  client.setNotificationHandler('notifications/tools/list_changed', () => onStale(client, 'tools'));
  client.setNotificationHandler('notifications/prompts/list_changed', () => onStale(client, 'prompts'));
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    onStale(client, 'resources');
    onStale(client, 'templates');
  });
  return client;
}

/** The server's instructions for the model, as it gave them in its last answer. */
export const instructionsOf = (client: Client): string =>
  (client.getDiscoverResult() ?? { instructions: client.getInstructions() }).instructions ?? '';

export const rootsAnswer = (folders: readonly string[]): { roots: Array<{ uri: string; name: string }> } => ({
  roots: folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: folder.split('/').at(-1) || folder })),
});

/** The schema of requests whose results are checked by their readers. */
export const anyResult = z.looseObject({});

const RAW = 'helve/raw';

/** The result as the server sent it. */
export function rawResult(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const raw = result[RAW];
  return isObject(raw) ? raw : result;
}

/**
 * In the era of 2026-07-28, the SDK would reject a whole list for one invalid entry, and a whole result for one unknown
 * block or kind. It is given an empty result that is valid for every method, with the server's own inside.
 */
class UncheckedClient extends Client {
  protected override _onresponse(response: JSONRPCResponse): void {
    const isModern = this.getProtocolEra() === 'modern';
    const result: unknown = isModern && 'result' in response ? response.result : undefined;
    const isOurs = isObject(result) && result['resultType'] !== 'input_required' && !('supportedVersions' in result);
    super._onresponse(isOurs ? { ...response, result: { ...emptyResult, [RAW]: result } } : response);
  }
}

const emptyResult = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  content: [],
  contents: [],
  messages: [],
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
} as const;

/**
 * Wraps `askUser` to ask one question at a time. After MAX_QUESTIONS it calls `onEnough` and declines all further ones.
 */
export function oneByOne(askUser: AskUser, onEnough: () => void): AskUser {
  let asked = 0;
  let before: Promise<unknown> = Promise.resolve();
  return async (questions, signal, about) => {
    asked += 1;
    if (asked === MAX_QUESTIONS + 1) onEnough();
    if (asked > MAX_QUESTIONS) return [];
    const answer = before.then(async () => {
      signal.throwIfAborted(); // it was withdrawn while another one was open
      return await askUser(questions, signal, about);
    });
    before = answer.catch(() => {});
    return await answer;
  };
}

declare const HELVE_VERSION: string | undefined; // defined by the build

const clientVersion = typeof HELVE_VERSION === 'string' ? HELVE_VERSION : 'source';
