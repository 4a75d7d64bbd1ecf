// The methods of the Agent Client Protocol for one client whose sessions are those of a fleet.
import { basename } from 'node:path';
import { SessionProblem } from '../../agent/store/session-problem.js';
import { titleOf } from '../../agent/store/session-title.js';
import type { PermissionMode } from '../../contract/permission.js';
import { DatabaseProblem } from '../../fleet/postgres.js';
import type { EndedPrompt } from '../../fleet/prompts.js';
import type { FleetServer } from '../../fleet/served/fleet-server.js';
import type { FleetRow } from '../../fleet/served/session-list.js';
import { randomId } from '../../platform/crypto.js';
import { builtInTools } from '../../tools/index.js';
import type { Method } from '../acp-agent.js';
import { ClientQuestions } from '../client-questions.js';
import { RpcConnection, RpcError, type RpcParams, type RpcRequest, type RpcTransport, rpcCodes } from '../json-rpc.js';
import { type ClientAbilities, PROTOCOL_VERSION } from '../messages.js';
import { readPrompt } from '../prompt-content.js';
import {
  absolutePath,
  type ClientIdentity,
  fieldsOf,
  invalidParams,
  readAbilities,
  readIdentity,
  readSessionId,
  readText,
  shown,
} from '../read-params.js';
import { allModes } from '../session-options.js';
import { promptAnswer } from '../stop-reason.js';
import { FleetClient } from './fleet-client.js';
import { type AcceptedPrompt, fleetMethods, refuseServers } from './fleet-methods.js';
import { knownRow, notInFleet, rowOf } from './fleet-scope.js';

const PAGE = 50; // sessions in one answer of session/list

export interface FleetAgentOptions {
  server: FleetServer;
  version: string;
  onProblem(sentence: string): void;
}

export class FleetAgent {
  readonly #options: FleetAgentOptions;
  readonly #connection: RpcConnection;
  readonly #questions: ClientQuestions;
  readonly #clients = new Map<string, FleetClient>();
  readonly #tools = new Map(builtInTools().map((tool) => [tool.name, tool]));
  readonly #connectionId = randomId();
  readonly #extension: ReturnType<typeof fleetMethods>;
  #abilities: ClientAbilities | undefined;
  #identity: ClientIdentity = { role: 'view' };

  constructor(transport: RpcTransport, options: FleetAgentOptions) {
    this.#options = options;
    const { server, version, onProblem } = options;
    this.#connection = new RpcConnection(transport, {
      request: (request) => this.#request(request),
      notification: (method, params) => this.#notification(method, params),
      lateResult: (result) => this.#questions.lateAnswer(result),
      onProblem,
    });
    this.#questions = new ClientQuestions({
      limitMs: undefined,
      request: (method, params, signal) => this.#connection.request(method, params, signal),
    });
    this.#extension = fleetMethods({
      server,
      version,
      identity: () => this.#identity,
      accept: (prompt) => this.#accept(prompt),
      findTool: (name) => this.#tools.get(name),
      notify: (method, params) => this.#connection.notify(method, params),
      onProblem,
    });
  }

  /** Serves the client until it closes its side. Its sessions go on. */
  async serve(): Promise<void> {
    try {
      await this.#connection.serve();
    } finally {
      for (const client of this.#clients.values()) client.detach();
      this.#extension.end();
    }
  }

  #request(request: RpcRequest): Promise<unknown> | undefined {
    const { method, params } = request;
    const methods = { ...this.#extension.methods, ...this.#methods };
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!run) return undefined;
    if (!this.#abilities && method !== 'initialize') {
      return Promise.reject(new RpcError(rpcCodes.invalidRequest, `Send initialize before ${method}.`));
    }
    return run(params, request).catch(asRpcError);
  }

  #notification(method: string, params: RpcParams): void {
    const { onProblem } = this.#options;
    if (method === 'session/cancel') {
      this.#interrupt(params).catch((error: unknown) => onProblem(String(error)));
    } else if (method === '$/cancel_request') this.#connection.cancel(params['requestId']);
    else if (!method.startsWith('$/')) onProblem(`There is no notification ${shown(method)}.`);
  }

  readonly #methods: Readonly<Record<string, Method>> = {
    initialize: async (params) => {
      const { protocolVersion } = params;
      if (typeof protocolVersion !== 'number' || !Number.isInteger(protocolVersion) || protocolVersion < 0) {
        throw invalidParams(`"protocolVersion" must be a whole number such as 1, but was ${shown(protocolVersion)}.`);
      }
      this.#identity = readIdentity(params);
      this.#abilities = { ...readAbilities(params), readTextFile: false }; // the files are on the workers
      return {
        _meta: { helve: this.#extension.about },
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'helve', title: 'Helve', version: this.#options.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: false, embeddedContext: true },
          mcpCapabilities: { http: false, sse: false },
          sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
        },
        authMethods: [],
      };
    },
    authenticate: async () => {
      throw invalidParams('There is nothing to sign in to: the workers have the keys of the models.');
    },
    'session/new': async (params) => {
      refuseServers(params);
      const sessionId = randomId();
      this.#client(sessionId, absolutePath(params['cwd'], 'cwd'));
      return { sessionId, ...NO_OPTIONS };
    },
    'session/load': async (params) => {
      const { sessionId, root } = await this.#resumed(params);
      await this.#client(sessionId, root).follow({ fromStart: true });
      return NO_OPTIONS;
    },
    'session/resume': async (params) => {
      const { sessionId, root } = await this.#resumed(params);
      await this.#client(sessionId, root).follow({ fromStart: false });
      return NO_OPTIONS;
    },
    'session/list': async (params) => {
      const { cwd, cursor } = params;
      const root = cwd === undefined || cwd === null ? undefined : absolutePath(cwd, 'cwd');
      const { project } = this.#identity;
      const before = typeof cursor === 'string' ? { before: cursor } : {};
      const { sessions, next } = await this.#options.server.list.page({ limit: PAGE, project, ...before });
      return {
        sessions: sessions
          .filter((row) => root === undefined || row.root === root)
          .map(({ sessionId, root: folder, title, changedAt }) => ({
            sessionId,
            cwd: folder,
            title,
            updatedAt: changedAt,
          })),
        ...(next !== undefined && { nextCursor: next }),
      };
    },
    'session/close': async (params) => {
      const id = readSessionId(params);
      if (await knownRow(this.#options.server, id, this.#identity)) await this.#options.server.prompts.cancel(id);
      this.#clients.get(id)?.detach();
      this.#clients.delete(id);
      return {};
    },
    'session/delete': async (params) => {
      const { server } = this.#options;
      const { sessionId, openPrompts } = await rowOf(server, params, this.#identity);
      if (openPrompts > 0) {
        throw notInFleet(
          'The session is at work, so it was not removed.',
          'Interrupt it with _helve/session/stop first.',
        );
      }
      await server.store.remove(sessionId);
      server.list.removed(sessionId);
      return {};
    },
    'session/prompt': async (params, request) => await this.#prompt(params, request),
    'session/set_mode': async () => {
      throw notInFleet('The mode of a session is that of its worker.', 'Start workers with --permission-mode.');
    },
    'session/set_config_option': async () => {
      throw notInFleet('The options of a session are those of its worker.', 'Start workers with --model and --effort.');
    },
  };

  async #prompt(params: RpcParams, { id, signal }: RpcRequest): Promise<unknown> {
    const { prompts } = this.#options.server;
    const sessionId = readSessionId(params);
    const client = this.#clients.get(sessionId);
    if (!client) throw invalidParams(`The session ${shown(sessionId)} is not open. Open it with session/load first.`);
    const given = fieldsOf(params['_meta'])['helve/promptId'];
    const promptId = typeof given === 'string' && given !== '' ? given : `${this.#connectionId}:${JSON.stringify(id)}`;
    const { isNew } = await this.#accept({ sessionId, promptId, root: client.root, content: readPrompt(params) });
    const [over] = isNew ? [] : await prompts.ends([{ sessionId, promptId }]);
    if (over) return endOf(over);
    let isCancelled = false;
    const onAbort = (): void => {
      if (this.#connection.isClosed) return; // it goes on without its client
      isCancelled = true;
      prompts.cancel(sessionId, promptId).catch((error: unknown) => this.#options.onProblem(String(error)));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return promptAnswer({ end: await client.ended(promptId), isCancelled });
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #interrupt(params: RpcParams): Promise<void> {
    const { sessionId } = await rowOf(this.#options.server, params, this.#identity);
    await this.#options.server.prompts.cancel(sessionId);
  }

  /** Resolves once the prompt is in the database, and this client follows its session if it has it open. */
  async #accept({ sessionId, promptId, root, content }: AcceptedPrompt): Promise<{ isNew: boolean }> {
    const { server } = this.#options;
    const { project, actor = '', running, perDay } = this.#identity;
    const row = await knownRow(server, sessionId, this.#identity);
    if (row && row.root !== root) {
      throw invalidParams(`The session ${sessionId} belongs to ${row.root}, not to ${root}.`);
    }
    const prompt = {
      sessionId,
      promptId,
      project: row?.project ?? project ?? basename(root),
      root,
      content,
      actor,
      actorLimits: { running, perDay },
    };
    const client = this.#clients.get(sessionId);
    client?.expect(promptId);
    const accepted = await server.prompts.accept(prompt, titleOf(content));
    await client?.follow({ fromStart: false });
    return accepted;
  }

  async #resumed(params: RpcParams): Promise<FleetRow> {
    refuseServers(params);
    const row = await rowOf(this.#options.server, params, this.#identity);
    const cwd = absolutePath(params['cwd'], 'cwd');
    if (row.root === cwd) return row;
    throw invalidParams(`The session ${row.sessionId} belongs to ${row.root}, not to ${readText(params, 'cwd')}.`);
  }

  #client(sessionId: string, root: string): FleetClient {
    const before = this.#clients.get(sessionId);
    if (before) return before;
    const { server, onProblem } = this.#options;
    const client = new FleetClient({
      server,
      sessionId,
      root,
      abilities: this.#abilities ?? readAbilities({}),
      identity: this.#identity,
      questions: this.#questions,
      findTool: (name) => this.#tools.get(name),
      notify: (method, params) => this.#connection.notify(method, params),
      onProblem,
    });
    this.#clients.set(sessionId, client);
    return client;
  }
}

/** A session takes those of the worker that gets it. */
const NO_OPTIONS = {
  modes: { currentModeId: 'default' satisfies PermissionMode, availableModes: allModes().slice(0, 1) },
  configOptions: [],
};

/** Of a prompt that was sent before. */
function endOf({ outcome, problem }: EndedPrompt): unknown {
  if (problem !== null) throw new RpcError(rpcCodes.internalError, problem, { outcome });
  return { stopReason: outcome === 'interrupted' ? 'cancelled' : 'end_turn' };
}

function asRpcError(error: unknown): never {
  if (error instanceof SessionProblem) throw new RpcError(rpcCodes.notFound, error.message);
  if (error instanceof DatabaseProblem) throw new RpcError(rpcCodes.invalidRequest, error.message);
  throw error;
}
