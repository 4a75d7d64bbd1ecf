// The connection to the server: JSON-RPC over one WebSocket, which is opened again whenever it breaks.
import { type Signal, signal } from '@preact/signals';
import { storedKey, whoAmI } from './sign-in.js';
import type { Methods } from './wire.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const SILENT_MS = 45_000; // the server pings every 30 s, which a page can't see; after a sleep the socket may be dead
const LOOK_MS = 15_000; // how often an open connection is looked at: nothing tells a page that its machine has slept
const PROBE_MS = 5_000;
const GREETING_MS = 15_000; // a proxy may accept a connection and then say nothing

export type LinkState =
  | { name: 'connecting' }
  | { name: 'open' }
  | { name: 'waiting'; why: string }
  /** The server ends, and says why. The page connects again once it is back. */
  | { name: 'draining'; why: string }
  /** The token was revoked or has expired: the person has to sign in. */
  | { name: 'refused'; why: string };

/** The server's answer to a request that it did not do. */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The connection broke before there was an answer: it is not known whether the request was done. */
export class LinkBroken extends Error {
  override readonly name = 'LinkBroken';
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

type Listener = (params: Readonly<Record<string, unknown>>) => void;

export class Link {
  readonly state: Signal<LinkState> = signal({ name: 'connecting' });
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #onOpen = new Set<() => void>();
  #pending = new Map<number, Pending>();
  #socket: WebSocket | undefined;
  #lastId = 0;
  #failures = 0;
  #heardAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: ReturnType<typeof setInterval> | undefined;
  #isStopped = true;

  /** Connects, and stays connected until `stop`. */
  start(): void {
    if (this.#isStopped) {
      this.#isStopped = false;
      addEventListener('online', this.#wake);
      document.addEventListener('visibilitychange', this.#wake);
      this.#looking = setInterval(this.#lookAtSilence, LOOK_MS);
    }
    this.#failures = 0;
    this.#connect();
  }

  stop(): void {
    this.#isStopped = true;
    removeEventListener('online', this.#wake);
    document.removeEventListener('visibilitychange', this.#wake);
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    this.#socket?.close();
  }

  /** Called whenever the connection is open, now if it is. Returns a function that ends this. */
  onOpen(listener: () => void): () => void {
    this.#onOpen.add(listener);
    if (this.state.peek().name === 'open') listener();
    return () => void this.#onOpen.delete(listener);
  }

  on(method: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  async request<Name extends keyof Methods>(method: Name, params: Methods[Name][0]): Promise<Methods[Name][1]> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) {
      throw new LinkBroken('There is no connection to the server. The page connects again by itself; then try again.');
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = Promise.withResolvers<unknown>();
    this.#pending.set(id, answered);
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return (await answered.promise) as Methods[Name][1]; // the server answers in this shape: docs/serve.md
  }

  #connect(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || this.#socket) return;
    const state = this.state.peek();
    if (state.name !== 'draining') this.state.value = { name: 'connecting' };
    const key = storedKey();
    const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/acp`;
    const socket = new WebSocket(address, ['helve', ...(key === null ? [] : [`helve.key.${key}`])]);
    this.#socket = socket;
    // One that was given up may still speak: it must not be taken for the connection that replaced it.
    const isCurrent = (): boolean => this.#socket === socket;
    socket.addEventListener('open', () => isCurrent() && void this.#greet(socket));
    socket.addEventListener('message', ({ data }) => isCurrent() && this.#take(String(data)));
    socket.addEventListener('close', ({ code, reason }) => isCurrent() && void this.#closed(code, reason));
    this.#timer = setTimeout(() => this.#giveUp(socket, 'The server does not answer.'), GREETING_MS);
  }

  async #greet(socket: WebSocket): Promise<void> {
    this.#heardAt = Date.now();
    try {
      await this.request('initialize', { protocolVersion: 1 });
    } catch {
      socket.close();
      return;
    }
    clearTimeout(this.#timer);
    this.#failures = 0;
    this.state.value = { name: 'open' };
    for (const listener of this.#onOpen) listener();
  }

  #take(text: string): void {
    this.#heardAt = Date.now();
    const { id, method, params = {}, result, error } = JSON.parse(text);
    if (method !== undefined) {
      if (id !== undefined) this.#refuse(id, method);
      else if (method === '_helve/server/draining')
        this.state.value = { name: 'draining', why: String(params.sentence) };
      else for (const listener of this.#listeners.get(method) ?? []) listener(params);
      return;
    }
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error) pending?.reject(new RequestProblem(error.code, String(error.message)));
    else pending?.resolve(result);
  }

  /** The page gets questions as entries; requests of ACP are for clients without them. */
  #refuse(id: unknown, method: string): void {
    const error = { code: -32_601, message: `The web view does not answer ${method}.` };
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', id, error }));
  }

  async #closed(code: number, reason: string): Promise<void> {
    this.#socket = undefined;
    const pending = [...this.#pending.values()];
    this.#pending = new Map();
    for (const { reject } of pending) reject(new LinkBroken('The connection broke before the server answered.'));
    if (this.#isStopped) return;
    const state = this.state.peek();
    if (code === 1008) {
      this.state.value = { name: 'refused', why: reason };
      return;
    }
    if (state.name !== 'draining') this.state.value = { name: 'waiting', why: reason };
    // A refused handshake looks like a network failure, so the page asks.
    const me = await whoAmI().catch(() => 'unreachable' as const);
    if (me === undefined) {
      this.state.value = { name: 'refused', why: 'You are signed out.' };
      return;
    }
    this.#failures += 1;
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.#failures - 1, 10));
    this.#timer = setTimeout(() => this.#connect(), wait * (0.75 + Math.random() / 2));
  }

  /** The page is looked at again, or the network is back: no reason to wait longer. */
  readonly #wake = (): void => {
    if (document.visibilityState === 'hidden' || this.#isStopped || this.state.peek().name === 'refused') return;
    const socket = this.#socket;
    if (!socket) {
      this.#failures = 0;
      this.#connect();
    } else this.#lookAtSilence();
  };

  readonly #lookAtSilence = (): void => {
    const socket = this.#socket;
    if (!socket || document.visibilityState === 'hidden' || this.state.peek().name !== 'open') return;
    if (Date.now() - this.#heardAt > SILENT_MS) void this.#probe(socket);
  };

  /** A socket that has slept with the machine may be dead without a word. */
  async #probe(socket: WebSocket): Promise<void> {
    this.#heardAt = Date.now(); // one probe at a time
    const timer = setTimeout(() => this.#giveUp(socket, 'The connection was lost.'), PROBE_MS);
    await this.request('_helve/host/status', {}).catch(() => undefined);
    clearTimeout(timer);
  }

  /** Its own `close` event would come only after the closing handshake, which a dead connection does not answer. */
  #giveUp(socket: WebSocket, why: string): void {
    if (this.#socket === socket) void this.#closed(1006, why);
    socket.close();
  }
}
