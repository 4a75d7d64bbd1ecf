// Our side of the protocol: the requests and notifications that a server may send.
import { pathToFileURL } from 'node:url';
import { Client, ProtocolError } from '@modelcontextprotocol/client';
import type { AskUser } from '../../contract/question.js';
import { plainLine, plainText } from '../plain-text.js';
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
}

export function protocolClient({ name, roots, askUser, onLog, onStale }: ProtocolClientOptions): Client {
  const client = new Client(
    { name: 'helve', version: clientVersion },
    { capabilities: { roots: { listChanged: true }, elicitation: { form: {}, url: {} } } },
  );
  client.setRequestHandler('roots/list', () => ({
    roots: roots().map((folder) => ({ uri: pathToFileURL(folder).href, name: folder.split('/').at(-1) || folder })),
  }));
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
