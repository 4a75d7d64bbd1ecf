import type { Model, ModelEvent, ModelRequest } from '../contract/model.js';
import { abortable } from '../platform/abortable.js';

export interface ModelWatch {
  /** Called before each request, which is not sent if this rejects. */
  before?(): Promise<void>;
  /** Called with each event first. The model waits for it. */
  onEvent?(event: ModelEvent, request: ModelRequest): Promise<void>;
}

export interface WatchedModel extends Model {
  /** Selects the model from the next run on. */
  choose(model: Model): void;
  /** Uses this model from now on, until the returned function is called. */
  lend(model: Model): () => void;
  /** A run starts: the model stays the same within it. */
  begin(): void;
  /** The model from the next run on. */
  readonly chosen: Model;
  /** The current model, unwatched. */
  readonly current: Model;
}

/** Wraps a model so that its requests and responses are watched, and so that it can be replaced between runs. */
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
    get chosen() {
      return chosen;
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
