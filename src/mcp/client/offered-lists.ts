// What a server offers, kept up to date: lists may be long, change often, or never end.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { messageOf } from './connection-errors.js';
import type { Offered } from './offered.js';

const MAX_PAGES = 64; // a cursor that never ends is a bug in the server
const MAX_ENTRIES = 10_000;
const SETTLE_MS = 50; // between two fetches of a list, since changes often come in groups
const QUICK_FETCHES = 50; // per session; a server whose lists still change after that is misbehaving
const SLOW_MS = 10_000;

const nothing: Offered = { tools: [], resources: [], templates: [], prompts: [] };
export const anyResult = z.looseObject({});

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

  constructor(options: OfferedListsOptions) {
    this.#options = options;
  }

  get offered(): Offered {
    return this.#offered;
  }

  /** Fetches all lists of a server that has just connected. */
  async fetchAll(client: Client, signal: AbortSignal): Promise<void> {
    this.#client = client;
    const can = client.getServerCapabilities() ?? {};
    const optional = async (kind: keyof Offered): Promise<readonly unknown[]> =>
      await this.#fetch(client, kind, signal).catch(() => []); // only tools are essential; other lists may fail
    const [tools, resources, templates, prompts] = await Promise.all([
      can.tools ? this.#fetch(client, 'tools', signal) : [],
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

  /** Fetches a changed list again, one list at a time; if that fails, the old one stays in use. */
  refresh(client: Client, kind: keyof Offered): void {
    if (client !== this.#client) return; // a new connection fetches all lists
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
    for (let page = 1; page <= MAX_PAGES && entries.length < MAX_ENTRIES; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      // Not `listTools` and the like: these reject the whole list for one invalid entry.
      const answer = await client.request({ method, params }, anyResult, { signal, timeout: this.#options.pageMs });
      const found = answer[field];
      if (Array.isArray(found)) entries.push(...found.slice(0, MAX_ENTRIES - entries.length));
      const next = answer['nextCursor'];
      if (typeof next !== 'string' || next === cursor) break;
      cursor = next;
    }
    return entries;
  }
}

const listMethods: Readonly<Record<keyof Offered, readonly [method: string, field: string]>> = {
  tools: ['tools/list', 'tools'],
  resources: ['resources/list', 'resources'],
  templates: ['resources/templates/list', 'resourceTemplates'],
  prompts: ['prompts/list', 'prompts'],
};
