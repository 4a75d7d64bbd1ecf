// What a server offers, kept up to date: lists may be long, change often, or never end.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ServerCapabilities } from '@modelcontextprotocol/client';
import { monotonicMs } from '../../platform/clock.js';
import { messageOf } from './connection-errors.js';
import type { Offered } from './offered.js';
import { anyResult, rawResult } from './protocol-client.js';
import { timeToLive } from './time-to-live.js';

const MAX_PAGES = 64; // a cursor that never ends is a bug in the server
const MAX_ENTRIES = 10_000;
const SETTLE_MS = 50; // between two fetches of a list, since changes often come in groups
const QUICK_FETCHES = 50; // per session; a server whose lists still change after that is misbehaving
const SLOW_MS = 10_000;

const nothing: Offered = { tools: [], resources: [], templates: [], prompts: [] };

export interface OfferedListsOptions {
  /** For one page. */
  pageMs: number;
  /** Aborted when the session ends. */
  ended: AbortSignal;
  onChange(): void;
  /** A list could not be fetched; the old one stays in use. */
  onProblem(text: string): void;
}

export class OfferedLists {
  readonly #options: OfferedListsOptions;
  #client: Client | undefined;
  #offered = nothing;
  #refreshing: Promise<void> | undefined;
  #stale = new Set<keyof Offered>();
  #fetches = 0;
  /** Until when a list may be used again without a question, after the server's `ttlMs`. */
  readonly #freshUntil = new Map<keyof Offered, number>();

  constructor(options: OfferedListsOptions) {
    this.#options = options;
  }

  get offered(): Offered {
    return this.#offered;
  }

  /** Fetches all lists of a server that has just connected. */
  async fetchAll(client: Client, can: ServerCapabilities, signal: AbortSignal): Promise<void> {
    this.#client = client;
    const list = async (kind: keyof Offered): Promise<readonly unknown[]> =>
      monotonicMs() < (this.#freshUntil.get(kind) ?? 0) ? this.#offered[kind] : await this.#fetch(client, kind, signal);
    const optional = async (kind: keyof Offered): Promise<readonly unknown[]> => await list(kind).catch(() => []); // only tools are essential; other lists may fail
    const [tools, resources, templates, prompts] = await Promise.all([
      can.tools ? list('tools') : [],
      can.resources ? optional('resources') : [],
      can.resources ? optional('templates') : [],
      can.prompts ? optional('prompts') : [],
    ]);
    this.#offered = { tools, resources, templates, prompts };
  }

  /** The connection was lost, or is about to be replaced. */
  disconnected(): void {
    this.#client = undefined;
  }

  /** Fetches a list now, because the server has refused a request that was made according to the present one. */
  async refetch(client: Client, kind: keyof Offered, signal: AbortSignal): Promise<void> {
    const list = await this.#fetch(client, kind, signal);
    if (client !== this.#client) return;
    this.#offered = { ...this.#offered, [kind]: list };
    this.#options.onChange();
  }

  /** Fetches a changed list again, one list at a time; if that fails, the old one stays in use. */
  refresh(client: Client, kind: keyof Offered): void {
    if (client !== this.#client) return; // a new connection fetches all lists
    this.#freshUntil.delete(kind);
    this.#stale.add(kind);
    this.#refreshing ??= this.#fetchStale().finally(() => {
      this.#refreshing = undefined;
    });
  }

  async #fetchStale(): Promise<void> {
    const { ended, onChange, onProblem } = this.#options;
    for (const kind of this.#stale) {
      this.#fetches += 1;
      const wait = this.#fetches > QUICK_FETCHES ? SLOW_MS : SETTLE_MS;
      await delay(wait, undefined, { ref: false, signal: ended }).catch(() => {});
      const client = this.#client;
      this.#stale.delete(kind);
      if (ended.aborted || !client) return;
      try {
        const list = await this.#fetch(client, kind, ended);
        if (client !== this.#client) return;
        this.#offered = { ...this.#offered, [kind]: list };
        onChange();
      } catch (error) {
        onProblem(`Its list of ${kind} changed, but could not be fetched: ${messageOf(error)}`);
      }
    }
  }

  async #fetch(client: Client, kind: keyof Offered, signal: AbortSignal): Promise<readonly unknown[]> {
    const [method, field] = listMethods[kind];
    const entries: unknown[] = [];
    let cursor: string | undefined;
    let freshUntil = Number.POSITIVE_INFINITY;
    this.#freshUntil.delete(kind);
    for (let page = 1; page <= MAX_PAGES && entries.length < MAX_ENTRIES; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      // Not `listTools` and the like: these reject the whole list for one invalid entry.
      const askedAt = monotonicMs();
      const options = { signal, timeout: this.#options.pageMs };
      const answer = rawResult(await client.request({ method, params }, anyResult, options));
      freshUntil = Math.min(freshUntil, askedAt + timeToLive(answer));
      const found = answer[field];
      if (Array.isArray(found)) entries.push(...found.slice(0, MAX_ENTRIES - entries.length));
      const next = answer['nextCursor'];
      if (typeof next !== 'string' || next === cursor) break;
      cursor = next;
    }
    if (freshUntil > monotonicMs() && !this.#stale.has(kind)) this.#freshUntil.set(kind, freshUntil);
    return entries;
  }
}

const listMethods: Readonly<Record<keyof Offered, readonly [method: string, field: string]>> = {
  tools: ['tools/list', 'tools'],
  resources: ['resources/list', 'resources'],
  templates: ['resources/templates/list', 'resourceTemplates'],
  prompts: ['prompts/list', 'prompts'],
};
