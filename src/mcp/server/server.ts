// Helve as an MCP server: its tools, with every call on the normal call path. Loaded only by `helve mcp serve`.
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { isObject } from '../../platform/is-object.js';
import type { ServedConnection } from './serve-connection.js';
import { hintsFor } from './serve-hints.js';
import type { ServedCall, ServedResult, ServedTool, ServerIdentity } from './serve-port.js';
import type { FormAnswer, QuestionForm } from './serve-questions.js';
import { CallRounds, type RoundEnd } from './serve-rounds.js';

const ANSWER_WITHIN_MS = 60 * 60 * 1000; // the user may be away for a while
const QUESTION = 'question';

export interface ServerOptions {
  connection: ServedConnection;
  identity: ServerIdentity;
  /** Calls that wait for an answer, if several servers share them. */
  rounds?: CallRounds;
}

/** The server for one connection or, in the newer protocol, for one request. */
export function createServer({ connection, identity, rounds = new CallRounds(connection) }: ServerOptions): Server {
  const { name, version, instructions } = identity;
  const server = new Server(
    { name, version, title: 'Helve' },
    { capabilities: { tools: { listChanged: true } }, instructions },
  );
  const described = new DescribedTools();
  // Declared once at the start or, in the newer protocol, with every request.
  const canAsk = ({ mcpReq: { envelope } }: ServerContext): boolean =>
    showsForms(envelope ? Reflect.get(envelope, CLIENT_CAPABILITIES_META_KEY) : server.getClientCapabilities());

  server.setRequestHandler('tools/list', async (_, context) => {
    const session = connection.session({ canAsk: canAsk(context) });
    return { tools: await described.of(await session.tools()) };
  });

  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { signal } = context.mcpReq;
    const call = { name: params.name, input: params.arguments ?? {}, signal, onProgress: progressTo(context) };
    const asks = { canAsk: canAsk(context) };
    const session = connection.session(asks);
    const before = await session.tools();
    const end =
      context.mcpReq.envelope === undefined
        ? { result: await connection.run({ ...call, ask: askThrough(context) }, asks) }
        : await runRound(rounds, call, context, asks);
    if ((await session.tools()) !== before) await server.sendToolListChanged().catch(() => {}); // the client may also poll
    if ('result' in end) return toCallResult(end.result);
    return inputRequired({ inputRequests: { [QUESTION]: inputRequired.elicit(end.form) }, requestState: end.state });
  });
  return server;
}

/** A client that declares only "elicitation" supports forms. */
function showsForms(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined;
  return isObject(elicitation) && (elicitation['form'] !== undefined || elicitation['url'] === undefined);
}

async function runRound(
  rounds: CallRounds,
  call: ServedCall,
  { mcpReq }: ServerContext,
  asks: { canAsk: boolean },
): Promise<RoundEnd> {
  const state = mcpReq.requestState();
  if (state === undefined) return await rounds.begin(call, asks);
  const end = await rounds.goOn(String(state), formAnswer(mcpReq.inputResponses?.[QUESTION]), call);
  if (end) return end;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'No call waits for this answer: it was answered, cancelled or abandoned before. Send the call again.',
  );
}

const askThrough =
  ({ mcpReq }: ServerContext) =>
  async (form: QuestionForm, signal: AbortSignal): Promise<FormAnswer> =>
    formAnswer(await mcpReq.elicitInput({ mode: 'form', ...form }, { signal, timeout: ANSWER_WITHIN_MS }));

/** Clients may send anything; only a valid answer counts. */
function formAnswer(value: unknown): FormAnswer {
  const { action, content }: { action?: unknown; content?: unknown } =
    typeof value === 'object' && value !== null ? value : {};
  if (action === 'accept') return { action, content: isObject(content) ? content : undefined };
  return { action: action === 'decline' ? 'decline' : 'cancel' };
}

/** Sends only the latest text: older progress that a slow client has not received yet is dropped. */
function progressTo({ mcpReq }: ServerContext): (text: string) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  let next: string | undefined;
  let isSending = false;
  const send = async (): Promise<void> => {
    isSending = true;
    while (next !== undefined) {
      const message = next;
      next = undefined;
      progress += 1;
      const params = { progressToken, progress, message };
      await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}); // the client has disconnected
    }
    isSending = false;
  };
  return (text) => {
    next = text;
    if (!isSending) void send();
  };
}

function toCallResult({ content, failure }: ServedResult): CallToolResult {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  if (failure === 'unknown_tool') {
    const words = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, words);
  }
  return {
    content: blocks.map((block) =>
      block.type === 'text'
        ? { type: 'text', text: block.text }
        : { type: 'image', data: block.source.data, mimeType: block.source.media_type },
    ),
    ...(failure !== undefined && { isError: true }),
  };
}

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
  const { name, description, inputSchema } = tool;
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    annotations: await hintsFor(tool),
  };
}
