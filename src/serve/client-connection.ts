// One client on a WebSocket, and its connection to the back end. Messages of the client are judged by its role before
// they are passed on; what comes back is passed on as fast as the client reads, and no faster: the feed of the back end
// then leaves out the steps in between, so that a slow client has gaps in time and none in content.
import type { WebSocket } from 'ws';
import { rpcCodes } from '../acp/json-rpc.js';
import { fieldsOf } from '../acp/read-params.js';
import { mayAct } from '../contract/client-role.js';
import { monotonicMs } from '../platform/clock.js';
import { isObject } from '../platform/is-object.js';
import { messageOf } from '../platform/message-of.js';
import { readJson } from '../platform/parse-json.js';
import { jsonLine } from '../platform/text/json-line.js';
import type { Grant } from './access-file.js';
import type { BackEnd, BackEndConnection } from './back-end.js';
import type { ServeCounts } from './counts.js';
import { neededRole } from './roles.js';

const HIGH_WATER_BYTES = 1024 * 1024; // in each direction, before the sender is asked to wait
const MAX_LEVELS = 500; // JSON that nests more deeply can be read, but writing it again overflows the stack
const MAX_BAD = 50; // messages that were refused in one minute
const BAD_WINDOW_MS = 60_000;
const SLOW_MS = 60_000; // without reading anything

export const closeCodes = {
  goingAway: 1001,
  protocolError: 1002,
  refused: 1008,
  tooBig: 1009,
  restart: 1012,
  later: 1013,
} as const;

export interface ClientOptions {
  socket: WebSocket;
  grant: Grant;
  backEnd: BackEnd;
  version: string;
  counts: ServeCounts;
  /** Whether the grant still holds; closes the connection if it does not. */
  check(client: ClientConnection): boolean;
  onProblem(sentence: string): void;
}

export class ClientConnection {
  readonly #options: ClientOptions;
  readonly #socket: WebSocket;
  readonly grant: Grant;
  #host: BackEndConnection | undefined;
  /** Who the client says it is, for messages. */
  #clientName = 'The client';
  #sending: Promise<void> = Promise.resolve();
  #sendingBytes = 0;
  /** Requests of the client that have no answer yet, by the JSON of their id, with their method. */
  readonly #open = new Map<string, string>();
  readonly #bad: number[] = [];
  #onSettled: () => void = () => {};

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.grant = options.grant;
  }

  /** Serves the client until one side closes. */
  async serve(): Promise<void> {
    const { backEnd, counts, onProblem } = this.#options;
    const socket = this.#socket;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {}); // its close event follows
    socket.on('ping', (data: Buffer) => {
      // A client that sends pings and reads nothing would fill the memory with their answers.
      if (socket.bufferedAmount <= HIGH_WATER_BYTES) socket.pong(data);
    });
    const early: Array<[Buffer, boolean]> = [];
    const keep = (data: Buffer, isBinary: boolean): void => {
      early.push([data, isBinary]);
      socket.pause(); // one frame may still come
    };
    socket.on('message', keep);
    const { project } = this.grant;
    if (project !== undefined && !backEnd.hasProjects) {
      this.close(
        closeCodes.refused,
        `The token is for the project ${project} of a fleet, and this server shows a machine.`,
      );
      return await closed;
    }
    try {
      this.#host = await backEnd.connect();
    } catch (error) {
      onProblem(messageOf(error));
      this.close(closeCodes.later, messageOf(error));
      return await closed;
    }
    void closed.then(() => this.#host?.close());
    socket.off('message', keep);
    socket.on('message', (data: Buffer, isBinary) => this.#take(data, isBinary));
    for (const [data, isBinary] of early) this.#take(data, isBinary);
    socket.resume();
    const isOpen = (): boolean => socket.readyState === socket.OPEN; // else the client has left, which is no problem
    await this.#passOn(this.#host).catch((error: unknown) => {
      if (isOpen()) onProblem(`The connection to the host process broke: ${messageOf(error)}`);
    });
    counts.hostEnds += isOpen() ? 1 : 0;
    this.close(closeCodes.restart, 'The host process has ended. Connect again: sessions are kept.');
    await closed;
  }

  /** What waits for the client to read it. */
  get queuedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#send(jsonLine({ jsonrpc: '2.0', method, params }));
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, shortened(reason));
    this.#host?.close(); // nothing more reaches it, even if the client never closes its side
  }

  /** Resolves when the requests that were sent before are answered, apart from prompts, which go on in the host. */
  async settled(): Promise<void> {
    const isSettled = (): boolean => [...this.#open.values()].every((method) => method === 'session/prompt');
    await new Promise<void>((resolve) => {
      this.#onSettled = () => {
        if (isSettled() || this.#socket.readyState !== this.#socket.OPEN) resolve();
      };
      this.#socket.once('close', () => resolve());
      this.#onSettled();
    });
  }

  async #passOn(host: BackEndConnection): Promise<void> {
    for await (const line of host.lines) {
      if ('tooLong' in line) continue; // larger than the host itself accepts
      const text = this.#judgeAnswer(line.text);
      if (text !== undefined) await this.#sendSlowly(text);
    }
  }

  /** What the client gets of a message of the host: mostly the same. */
  #judgeAnswer(text: string): string | undefined {
    const [, id, kind] =
      /^\{"jsonrpc":"2\.0","id":(null|-?\d+|"(?:[^"\\]|\\.)*"),"(method|result|error)"/.exec(text) ?? [];
    if (id === undefined) return text;
    if (kind === 'method') return mayAct(this.grant.role, 'answer') ? text : undefined; // others answer it
    const method = this.#open.get(id);
    this.#open.delete(id);
    this.#onSettled();
    if (kind === 'error' && method !== undefined && text.includes(String(rpcCodes.methodNotFound))) {
      return jsonLine({
        jsonrpc: '2.0',
        id: JSON.parse(id),
        error: {
          code: rpcCodes.methodNotFound,
          message: `The host process is of an earlier version than this server, Helve ${this.#options.version}, and has no method ${method}. It is replaced when it is idle; helve host stop ends it now.`,
        },
      });
    }
    return text;
  }

  async #sendSlowly(text: string): Promise<void> {
    this.#send(text);
    if (this.#socket.bufferedAmount <= HIGH_WATER_BYTES) return;
    this.#options.counts.waits += 1;
    let [left, still] = [this.#socket.bufferedAmount, 0];
    while (this.#socket.readyState === this.#socket.OPEN && this.#socket.bufferedAmount > HIGH_WATER_BYTES / 2) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      still = this.#socket.bufferedAmount < left ? 0 : still + 20;
      left = this.#socket.bufferedAmount;
      if (still < SLOW_MS) continue;
      this.#options.counts.slowCloses += 1;
      this.close(closeCodes.later, 'Nothing was read for a minute. Connect again, and attach with "after".');
      this.#socket.terminate();
    }
  }

  #send(text: string): void {
    this.#options.counts.bytesOut += text.length;
    this.#options.counts.messagesOut += 1;
    this.#socket.send(text);
  }

  #take(data: Buffer, isBinary: boolean): void {
    const { counts } = this.#options;
    counts.messagesIn += 1;
    counts.bytesIn += data.length;
    if (!this.#options.check(this)) return;
    const { value: message, problem } = isBinary
      ? { value: undefined, problem: 'it came in a binary frame' }
      : readJson(data.toString('utf8'));
    if (problem !== undefined) this.#refuse(null, rpcCodes.parseError, `The message is not valid JSON: ${problem}.`);
    else if (Array.isArray(message)) {
      this.#refuse(null, rpcCodes.invalidRequest, 'Batches are not supported. Send one message a frame.');
    } else if (!isObject(message)) this.#refuse(null, rpcCodes.invalidRequest, 'The message is not an object.');
    else if (message['method'] === undefined) this.#takeAnswer(message);
    else if (typeof message['method'] === 'string') this.#takeRequest(message['method'], message);
    else this.#refuse(message['id'], rpcCodes.invalidRequest, '"method" must be the name of a method.');
  }

  #takeRequest(method: string, message: Readonly<Record<string, unknown>>): void {
    const { id } = message;
    const needed = neededRole(method);
    const { role, name } = this.grant;
    if (needed === undefined) {
      if (id === undefined && method.startsWith('$/')) return; // may be ignored, says the protocol
      const sentence = `This server, Helve ${this.#options.version}, has no method ${JSON.stringify(method.slice(0, 80))}. ${this.#clientName} may be made for a later version.`;
      this.#refuse(id, rpcCodes.methodNotFound, sentence);
    } else if (!mayAct(role, needed)) {
      const sentence = `${method} needs the role ${needed}, but the token "${name}" has ${role}. helve serve tokens add makes one with another role.`;
      this.#refuse(id, rpcCodes.forbidden, sentence, { role, needed });
    } else this.#passIn(id, method, method === 'initialize' ? this.#withCaller(message) : message);
  }

  /** The environment and the options of sessions are those of the server, and who acts is known from the token. */
  #withCaller(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const params = fieldsOf(message['params']);
    const { name, version } = fieldsOf(params['clientInfo']);
    if (typeof name === 'string') this.#clientName = `The client, ${name} ${String(version ?? '')},`.slice(0, 100);
    const { name: actor, role, project, running, perDay } = this.grant;
    const helve = { ...this.#options.backEnd.caller(), actor, role, project, running, perDay };
    return { ...message, params: { ...params, _meta: { ...fieldsOf(params['_meta']), helve } } };
  }

  #takeAnswer(message: Readonly<Record<string, unknown>>): void {
    const isAnswer = 'result' in message || 'error' in message;
    if (!isAnswer) this.#refuse(message['id'], rpcCodes.invalidRequest, 'The message has no "method" and no "result".');
    else if (mayAct(this.grant.role, 'answer')) this.#passIn(undefined, '', message);
  }

  #passIn(id: unknown, method: string, message: Readonly<Record<string, unknown>>): void {
    if (!isNestedWithin(MAX_LEVELS, message)) {
      const sentence = `The message is nested more deeply than ${MAX_LEVELS} levels. Send such a value as text.`;
      this.#refuse(id, rpcCodes.invalidRequest, sentence);
      return;
    }
    const line = jsonLine(message);
    if (method !== '' && isAnsweredId(id)) this.#open.set(JSON.stringify(id), method);
    const bytes = line.length;
    this.#sendingBytes += bytes;
    if (this.#sendingBytes > HIGH_WATER_BYTES) this.#socket.pause();
    this.#sending = this.#sending
      .then(async () => await this.#host?.write(line))
      .finally(() => {
        this.#sendingBytes -= bytes;
        if (this.#sendingBytes <= HIGH_WATER_BYTES) this.#socket.resume();
      });
  }

  #refuse(id: unknown, code: number, message: string, data?: unknown): void {
    const { counts } = this.#options;
    counts.refused += 1;
    const now = monotonicMs();
    this.#bad.push(now);
    while (this.#bad[0] !== undefined && this.#bad[0] < now - BAD_WINDOW_MS) this.#bad.shift();
    if (this.#bad.length > MAX_BAD) {
      const sentence = `${MAX_BAD} messages in a minute could not be accepted. The last one: ${message}`;
      this.close(closeCodes.protocolError, sentence);
    } else if (id !== undefined || code !== rpcCodes.forbidden) {
      const isId = typeof id === 'string' || typeof id === 'number';
      const error = { code, message, ...(data !== undefined && { data }) };
      this.#send(jsonLine({ jsonrpc: '2.0', id: isId ? id : null, error }));
    } // else a notification, which has no answer
  }
}

/** An id that the host gives back in its answer; a message with another one is answered with the id null. */
const isAnsweredId = (id: unknown): boolean => Number.isInteger(id) || (typeof id === 'string' && id.length <= 200);

/** Whether the value has at most so many levels of lists and objects. */
function isNestedWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isNestedWithin(levels - 1, inner));
}

const MAX_REASON_BYTES = 123; // of a close frame

/** Whole characters, as many as fit. */
export function shortened(reason: string): string {
  let text = reason;
  while (Buffer.byteLength(text) > MAX_REASON_BYTES) text = `${text.slice(0, -2)}…`.replace(/[\ud800-\udbff]…$/, '…');
  return text;
}
