// Helve as an MCP server: its tools, with every call on the normal call path. Loaded only by `helve mcp serve`.
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { type InputRequests, type InputResponses, missingCapabilities } from './client-requests.js';
import type { Offer } from './offer.js';
import type { RequestingClient, ServedConnection } from './serve-connection.js';
import { hintsFor } from './serve-hints.js';
import { serveOffer, tellChanges } from './serve-offer.js';
import type { ServedTool, ServerIdentity } from './serve-port.js';
import { progressTo } from './serve-progress.js';
import { toCallResult } from './serve-results.js';
import { CallRounds, type Work } from './serve-rounds.js';

const ANSWER_WITHIN_MS = 60 * 60 * 1000; // the user may be away for a while

/** Lists change only with a notification. Only the holder of the token may keep them: they name the project. */
const CACHED = { ttlMs: 60_000, cacheScope: 'private' } as const;

export interface ServerOptions {
  connection: ServedConnection;
  identity: ServerIdentity;
  /** Prompts and resources. Default: the server has none, and says so. */
  offer?: Offer | undefined;
  /** Calls that wait for an answer, if several servers share them. */
  rounds?: CallRounds;
  /** Tells clients that the list of tools has changed. Default: the server does, over its own connection. */
  onToolsChanged?: () => void;
  /** Changes of the offer are told elsewhere, to streams that outlive this server. */
  hasStreams?: boolean;
  /** Resolves once the client of a request can be sent more. Default: notifications resolve only then. */
  flow?: ((context: ServerContext) => Promise<void>) | undefined;
}

/** Answers a request with the result of some work, which may ask the client on the way. */
export type Respond = <Result>(
  subject: string,
  context: ServerContext,
  work: Work<Result>,
) => Promise<Result | InputRequiredResult>;

/** The server for one connection or, in the newer protocol, for one request. */
export function createServer(options: ServerOptions): Server {
  const { connection, identity, offer, flow, rounds = new CallRounds(connection) } = options;
  const { instructions, ...info } = identity;
  const server = new Server(info, {
    capabilities: {
      tools: { listChanged: true },
      ...(offer && {
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
      }),
    },
    instructions,
    cacheHints: {
      'server/discover': CACHED,
      'tools/list': CACHED,
      'prompts/list': CACHED,
      'resources/list': CACHED,
      'resources/templates/list': CACHED,
    },
  });
  const respond: Respond = async (subject, context, work) => {
    const { envelope, signal } = context.mcpReq;
    const round = { capabilities: capabilitiesOf(context, server), signal, onProgress: progressTo(context, flow) };
    if (envelope === undefined) {
      const client = { capabilities: round.capabilities, ask: askThrough(context, round.capabilities) };
      const carried = (either: AbortSignal) => work({ signal: either, onProgress: round.onProgress });
      return await connection.run(carried, { client, signal });
    }
    const responses = context.mcpReq.inputResponses;
    const state: unknown = context.mcpReq.requestState();
    const end =
      state === undefined
        ? await rounds.begin(subject, work, { ...round, responses })
        : await rounds.goOn(subject, String(state), { ...round, responses });
    // The work of a subject always gives the same type of result.
    if ('result' in end) return end.result as Awaited<ReturnType<typeof work>>;
    return inputRequired({ inputRequests: toInputRequests(end.requests), requestState: end.state });
  };
  serveTools(server, { ...options, respond });
  const subscribed = offer && serveOffer(server, { offer, client: connection.client, respond });
  if (offer && subscribed && !options.hasStreams) server.onclose = tellChanges(server, offer, subscribed);
  return server;
}

function serveTools(
  server: Server,
  { connection, onToolsChanged, respond }: ServerOptions & { respond: Respond },
): void {
  const described = new DescribedTools();
  const sessionOf = (context: ServerContext) => connection.session({ capabilities: capabilitiesOf(context, server) });
  const changed = onToolsChanged ?? (() => void server.sendToolListChanged().catch(() => {})); // the client may also poll

  server.setRequestHandler('tools/list', async (_, context) => ({
    tools: await described.of(await sessionOf(context).tools()),
  }));

  server.setRequestHandler('tools/call', async ({ params: { name, arguments: input = {} } }, context) => {
    const session = sessionOf(context);
    const before = await session.tools();
    const end = await respond(`tools/call ${name}`, context, async (round) => {
      const result = await toCallResult(
        await session.call({ name, input, ...round }),
        before.find((tool) => tool.name === name),
      );
      const { outputSchema } = before.find((tool) => tool.name === name) ?? {};
      return server.projectCallToolResult(result, outputSchema);
    });
    if ((await session.tools()) !== before) changed();
    return end;
  });
}

/** Declared once at the start or, in the newer protocol, with every request. */
const capabilitiesOf = ({ mcpReq: { envelope } }: ServerContext, server: Server): unknown =>
  envelope ? Reflect.get(envelope, CLIENT_CAPABILITIES_META_KEY) : server.getClientCapabilities();

/** In the revisions with sessions, the server sends requests itself, all of them at once. */
const askThrough =
  ({ mcpReq }: ServerContext, capabilities: unknown): RequestingClient['ask'] =>
  async (requests, signal): Promise<InputResponses> => {
    const missing = missingCapabilities(requests, capabilities);
    if (missing) {
      throw new Error(`the client does not support ${Object.keys(missing).join(' and ')}`);
    }
    const options = { signal, timeout: ANSWER_WITHIN_MS };
    const answers = Object.entries(requests).map(async ([key, { method, params }]) => {
      return [key, await mcpReq.send({ method, params: { ...params } }, options)] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  };

/** The parameters are those of MCP, which the client checks. */
const toInputRequests = (requests: InputRequests) =>
  requests as unknown as NonNullable<InputRequiredResult['inputRequests']>;

/** Computed once per set of tools. */
class DescribedTools {
  #of: readonly ServedTool[] | undefined;
  #described: Promise<Tool[]> | undefined;

  of(tools: readonly ServedTool[]): Promise<Tool[]> {
    if (this.#of !== tools || !this.#described) {
      this.#of = tools;
      this.#described = Promise.all(tools.map(describe));
    }
    return this.#described;
  }
}

async function describe(tool: ServedTool): Promise<Tool> {
  const { name, title, description, inputSchema, outputSchema } = tool;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    ...(outputSchema && { outputSchema: { ...outputSchema } }),
    annotations: await hintsFor(tool),
  };
}
