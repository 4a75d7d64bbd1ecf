// The methods of the Agent Client Protocol, version 1, for one client. The sessions are those of the host; the lines
// come from any transport.

import { listSessions } from '../agent/store/list-sessions.js';
import { removeSession } from '../agent/store/remove-session.js';
import { SessionProblem } from '../agent/store/session-problem.js';
import { mayAct } from '../contract/client-role.js';
import { type Caller, ConversationRefused, type SessionPlace } from '../host/hosted-conversation.js';
import type { HostedSession } from '../host/hosted-session.js';
import { PromptRefused } from '../host/prompt-queue.js';
import type { SessionHost } from '../host/session-host.js';
import { randomId } from '../platform/crypto.js';
import { realName } from '../platform/files/paths.js';
import { ClientQuestions } from './client-questions.js';
import { RpcConnection, RpcError, type RpcParams, type RpcRequest, type RpcTransport, rpcCodes } from './json-rpc.js';
import { type ClientAbilities, PROTOCOL_VERSION } from './messages.js';
import { readPrompt } from './prompt-content.js';
import {
  absolutePath,
  type ClientIdentity,
  fieldsOf,
  invalidParams,
  readAbilities,
  readCaller,
  readIdentity,
  readPlace,
  readText,
  shown,
} from './read-params.js';
import { SessionClient } from './session-client.js';
import { configOptionsOf, modesOf, setMode, setOption } from './session-options.js';
import { promptAnswer } from './stop-reason.js';

const PAGE = 50; // sessions in one answer of session/list

export interface AcpAgentOptions {
  host: SessionHost;
  version: string;
  dataFolder: string;
  /** How long the client may take to answer a question; undefined for any time. */
  answerLimitMs: number | undefined;
  /** Rejects with `ConversationRefused` if no model is set up. */
  checkModel(): Promise<void>;
  onProblem(sentence: string): void;
  /** Prompts go on when their client disconnects: it may come back. */
  keepsPrompts?: boolean;
  /** A client that has followed the session is gone. */
  onLeft?(session: HostedSession): void;
  /** Methods beside those of the protocol. */
  extend?(connection: ExtendedConnection): AcpExtension;
}

/** What methods beside the protocol's know of their client. */
export interface ExtendedConnection {
  /** The environment and the options that the client has sent; undefined if it has sent none. */
  caller(): Caller | undefined;
  identity(): ClientIdentity;
  notify(method: string, params: RpcParams): Promise<void>;
}

export interface AcpExtension {
  readonly methods: Readonly<Record<string, Method>>;
  /** Added to the answer of `initialize`. */
  readonly about: Readonly<Record<string, unknown>>;
  /** The client has closed the connection. */
  end(): void;
}

export type Method = (params: RpcParams, request: RpcRequest) => Promise<unknown>;

export class AcpAgent {
  readonly #options: AcpAgentOptions;
  readonly #connection: RpcConnection;
  readonly #questions: ClientQuestions;
  readonly #clients = new Map<string, SessionClient>();
  /** Prompt ids of requests that can be cancelled by their own id. */
  readonly #connectionId = randomId();
  #abilities: ClientAbilities | undefined;
  #caller: Caller | undefined;
  #identity: ClientIdentity = { role: 'admin' };
  readonly #extension: AcpExtension | undefined;

  constructor(transport: RpcTransport, options: AcpAgentOptions) {
    this.#options = options;
    this.#connection = new RpcConnection(transport, {
      request: (request) => this.#request(request),
      notification: (method, params) => this.#notification(method, params),
      lateResult: (result) => this.#questions.lateAnswer(result),
      onProblem: options.onProblem,
    });
    this.#questions = new ClientQuestions({
      limitMs: options.answerLimitMs,
      request: (method, params, signal) => this.#connection.request(method, params, signal),
    });
    this.#extension = options.extend?.({
      caller: () => this.#caller,
      identity: () => this.#identity,
      notify: (method, params) => this.#connection.notify(method, params),
    });
  }

  /** Serves the client until it closes its side. The sessions are left to the host. */
  async serve(): Promise<void> {
    try {
      await this.#connection.serve();
    } finally {
      for (const client of this.#clients.values()) {
        client.detach();
        this.#options.onLeft?.(client.session);
      }
      this.#extension?.end();
    }
  }

  #request(request: RpcRequest): Promise<unknown> | undefined {
    const { method, params } = request;
    const methods = { ...this.#extension?.methods, ...this.#methods };
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!run && isNotification(method)) {
      const sentence = `${method} is a notification, which has no answer. Send it without "id".`;
      return Promise.reject(new RpcError(rpcCodes.invalidRequest, sentence));
    }
    if (!run) return undefined;
    if (!this.#abilities && method !== 'initialize') {
      return Promise.reject(new RpcError(rpcCodes.invalidRequest, `Send initialize before ${method}.`));
    }
    return run(params, request).catch(asRpcError);
  }

  #notification(method: string, params: RpcParams): void {
    if (method === 'session/cancel') {
      const { sessionId } = params;
      const client = typeof sessionId === 'string' ? this.#clients.get(sessionId) : undefined;
      if (client) client.cancel();
      else this.#options.onProblem(`session/cancel names a session that is not open: ${shown(sessionId)}.`);
    } else if (method === '$/cancel_request') this.#connection.cancel(params['requestId']);
    else if (!method.startsWith('$/')) this.#options.onProblem(`There is no notification ${shown(method)}.`);
  }

  readonly #methods: Readonly<Record<string, Method>> = {
    initialize: async (params) => {
      const { protocolVersion } = params;
      if (typeof protocolVersion !== 'number' || !Number.isInteger(protocolVersion) || protocolVersion < 0) {
        throw invalidParams(`"protocolVersion" must be a whole number such as 1, but was ${shown(protocolVersion)}.`);
      }
      if (this.#extension) {
        this.#caller = readCaller(params);
        this.#identity = readIdentity(params);
      }
      const abilities = readAbilities(params);
      // What it sends as the unsaved text of a file would reach the model.
      this.#abilities = { ...abilities, readTextFile: abilities.readTextFile && mayAct(this.#identity.role, 'run') };
      return {
        ...(this.#extension && { _meta: { helve: this.#extension.about } }),
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'helve', title: 'Helve', version: this.#options.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: false, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
        },
        authMethods: [
          {
            id: 'environment',
            name: 'A key for a model',
            description:
              'Set the key of a provider in the environment that helve acp is started with, such as ANTHROPIC_API_KEY, or run helve once in a terminal, which asks for it and keeps it. helve models lists the providers.',
          },
        ],
      };
    },
    authenticate: async (params) => {
      const methodId = readText(params, 'methodId');
      if (methodId !== 'environment') {
        throw invalidParams(`There is no way to authenticate named ${shown(methodId)}. There is: environment.`);
      }
      await this.#options.checkModel();
      return {};
    },
    'session/new': async (params, request) => {
      const session = await this.#options.host.open({ ...readPlace(params), caller: this.#caller });
      await session.announce(); // clients give the id to other processes, also before the first prompt
      const client = this.#attach(session);
      client.follow();
      this.#sendCommandsAfter(request, client);
      return { sessionId: session.id, ...stateOf(session) };
    },
    'session/load': async (params, request) => {
      const session = await this.#resume(params);
      const client = this.#attach(session);
      await client.replay();
      this.#sendCommandsAfter(request, client);
      return stateOf(session);
    },
    'session/resume': async (params, request) => {
      const session = await this.#resume(params);
      const client = this.#attach(session);
      client.follow();
      this.#sendCommandsAfter(request, client);
      return stateOf(session);
    },
    'session/list': async (params) => await this.#list(params),
    'session/close': async (params) => {
      const { id } = this.#session(params);
      this.#clients.delete(id);
      await this.#options.host.close(id);
      return {};
    },
    'session/delete': async (params) => {
      const id = readText(params, 'sessionId');
      this.#clients.delete(id);
      const wasOpen = await this.#options.host.close(id);
      const left = await removeSession(this.#options.dataFolder, id).catch((error: unknown) => {
        // An open session that could not be saved has no file.
        if (!(wasOpen && error instanceof SessionProblem && error.kind === 'unknown')) throw error;
        return [];
      });
      for (const sentence of left) this.#options.onProblem(sentence);
      return {};
    },
    'session/prompt': async (params, request) => await this.#prompt(params, request),
    'session/set_mode': async (params) => {
      const session = this.#session(params);
      setMode(session, params['modeId']);
      await this.#client(session).configChanged();
      return {};
    },
    'session/set_config_option': async (params) => {
      const session = this.#session(params);
      await setOption(session, readText(params, 'configId'), params['value']);
      await this.#client(session).configChanged();
      return { configOptions: configOptionsOf(session) };
    },
  };

  async #prompt(params: RpcParams, { id, signal }: RpcRequest): Promise<unknown> {
    const session = this.#session(params);
    const client = this.#client(session);
    const content = readPrompt(params);
    const given = fieldsOf(params['_meta'])['helve/promptId'];
    const promptId = typeof given === 'string' && given !== '' ? given : `${this.#connectionId}:${JSON.stringify(id)}`;
    const onAbort = (): void => {
      const isGone = this.#connection.isClosed;
      if (!(isGone && this.#options.keepsPrompts)) client.cancel(promptId);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return promptAnswer(await client.prompt(promptId, content));
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #resume(params: RpcParams): Promise<HostedSession> {
    const id = readText(params, 'sessionId');
    if (!mayAct(this.#identity.role, 'run') && !this.#options.host.get(id)) throw notOpened(id, this.#identity);
    const place: SessionPlace = {
      ...readPlace(params),
      resume: id,
      caller: this.#caller,
    };
    const session = await this.#options.host.open(place);
    if (session.place.root === place.root) return session;
    throw invalidParams(`The session ${session.id} belongs to ${session.place.root}, not to ${place.root}.`);
  }

  async #list(params: RpcParams): Promise<unknown> {
    const { cwd, cursor } = params;
    if (cursor !== undefined && cursor !== null && !(typeof cursor === 'string' && /^[1-9]\d{0,8}$/.test(cursor)))
      throw invalidParams(`"cursor" is not one that was given: ${shown(cursor)}.`);
    const from = Number(cursor ?? 0);
    const root = cwd === undefined || cwd === null ? {} : { root: realName(absolutePath(cwd, 'cwd')) };
    const all = await listSessions(this.#options.dataFolder, root);
    const sessions = all
      .slice(from, from + PAGE)
      .flatMap(({ id: sessionId, root: folder, title, updated }) =>
        folder === undefined ? [] : [{ sessionId, cwd: folder, title, updatedAt: updated.toISOString() }],
      );
    return { sessions, ...(from + PAGE < all.length && { nextCursor: String(from + PAGE) }) };
  }

  #session(params: RpcParams): HostedSession {
    const id = readText(params, 'sessionId');
    const session = this.#clients.has(id) ? this.#options.host.get(id) : undefined;
    if (session) return session;
    throw new RpcError(
      rpcCodes.notFound,
      `The session ${shown(id)} is not open. Open it with session/load or session/resume; session/list has those there are.`,
    );
  }

  #client(session: HostedSession): SessionClient {
    return this.#clients.get(session.id) ?? this.#attach(session);
  }

  /** One for each session: a client that loads a session again goes on with its prompts and questions. */
  #attach(session: HostedSession): SessionClient {
    const before = this.#clients.get(session.id);
    if (before?.session === session) return before;
    before?.detach();
    const client = new SessionClient({
      session,
      abilities: this.#abilities ?? readAbilities({}),
      actor: this.#identity.actor,
      questions: this.#questions,
      readBuffer: (sessionId, path, signal) => this.#readBuffer(sessionId, path, signal),
      notify: (method, params) => this.#connection.notify(method, params),
      onProblem: this.#options.onProblem,
    });
    this.#clients.set(session.id, client);
    return client;
  }

  /** A client answers with an error if it does not have the file. */
  async #readBuffer(sessionId: string, path: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const { content } = fieldsOf(await this.#connection.request('fs/read_text_file', { sessionId, path }, signal));
      return typeof content === 'string' ? content : undefined;
    } catch (error) {
      if (error instanceof RpcError) return undefined;
      throw error;
    }
  }

  /** Not before the answer: a client knows the session only from it. */
  #sendCommandsAfter({ afterAnswer }: RpcRequest, client: SessionClient): void {
    const { onProblem } = this.#options;
    afterAnswer(() => void client.sendCommands().catch((error: unknown) => onProblem(String(error))));
  }
}

/** Opening a session lets what an earlier process has left go on. */
export const notOpened = (id: string, { role }: ClientIdentity): RpcError =>
  new RpcError(
    rpcCodes.notFound,
    `The session ${shown(id)} is not open, and opening it may continue its work, which a client with the role ${role} may not do. Read it with _helve/session/read, or use a token with the role run.`,
  );

const isNotification = (method: string): boolean => method === 'session/cancel' || method === '$/cancel_request';

const stateOf = (session: HostedSession) => ({ modes: modesOf(session), configOptions: configOptionsOf(session) });

function asRpcError(error: unknown): never {
  if (error instanceof ConversationRefused) {
    const { kind, cause } = error;
    const message = cause instanceof SessionProblem ? sessionWords(cause) : error.message;
    const code =
      kind === 'no_model' ? rpcCodes.authRequired : kind === 'session' ? rpcCodes.notFound : rpcCodes.invalidParams;
    throw new RpcError(code, message);
  }
  if (error instanceof SessionProblem) throw new RpcError(rpcCodes.notFound, sessionWords(error));
  if (error instanceof PromptRefused) throw new RpcError(rpcCodes.invalidRequest, error.message);
  throw error;
}

/** With what a client can do, in place of what a person can do on the command line. */
function sessionWords({ kind, fact, message }: SessionProblem): string {
  if (kind === 'unknown') return `${fact} session/list has those there are.`;
  if (kind === 'in_use') return `${fact} Close it there first, or begin a new session.`;
  return message;
}
