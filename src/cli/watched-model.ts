import type { Model, ModelEvent, ModelRequest } from '../contract/model.js';
import { abortable } from '../platform/abortable.js';

export interface ModelWatch {
  /** Before each request; it is not sent where this rejects. */
  before?(): Promise<void>;
  /** Each event of an answer, before anybody else sees it. The model waits for whoever watches. */
  onEvent?(event: ModelEvent, request: ModelRequest): Promise<void>;
}

export interface WatchedModel extends Model {
  /** From the next run on this one answers. */
  choose(model: Model): void;
  /** This one answers from now on, until what is returned is called. */
  lend(model: Model): () => void;
  /** A run begins: within one, the model stays the same. */
  begin(): void;
  /** The one that answers now, unwatched. */
  readonly current: Model;
}

/** A model whose requests and answers are watched, and that may become another one between runs. */
export function watchedModel(first: Model, watches: readonly ModelWatch[]): WatchedModel {
  let current = first;
  let chosen = first;
  return {
    get provider() {
      return current.provider;
    },
    get name() {
      return current.name;
    },
    get maxOutputTokens() {
      return current.maxOutputTokens;
    },
    get facts() {
      return current.facts ?? {};
    },
    get fallbacks() {
      return current.fallbacks ?? [];
    },
    check: () => current.check?.(),
    release: () => current.release?.(),
    async *stream(request, signal) {
      for (const { before } of watches) if (before) await abortable(before, signal);
      for await (const event of current.stream(request, signal)) {
        for (const watch of watches) await watch.onEvent?.(event, request);
        yield event;
      }
    },
    get current() {
      return current;
    },
    choose(model) {
      chosen = model;
    },
    lend(model) {
      current = model;
      return () => {
        current = chosen;
      };
    },
    begin() {
      current = chosen;
    },
  };
}
