// The prompts of a session, in order of arrival, one at a time. Each has an id, and a prompt whose id is known does not
// run again: a client that lost its connection may send it once more and gets the same end.

import { isDeepStrictEqual } from 'node:util';
import type { UserBlock } from '../contract/message.js';
import { UserFacingError } from '../contract/user-facing-error.js';
import type { PromptEnd } from './session-feed.js';

const MAX_WAITING = 1_000;
const MAX_WAITING_CHARS = 64 * 1024 * 1024; // a client that sends faster than a model answers must not exhaust memory
const REMEMBERED = 1_000; // ids of ended prompts

export interface HostPrompt {
  /** Given by the client. */
  id: string;
  content: readonly UserBlock[];
  /** No prompt: the run that an earlier process could not finish goes on. */
  isUnfinished?: boolean;
}

/** A prompt that was accepted. */
export interface PromptTicket {
  readonly id: string;
  /** False if a prompt with this id was sent before. */
  readonly isNew: boolean;
  /** Resolves when it has ended, also when it was cancelled before it began. Never rejects. */
  readonly ended: Promise<PromptEnd>;
}

/** The prompt can't be accepted; the message says why. */
export class PromptRefused extends UserFacingError {
  override readonly name = 'PromptRefused';
}

/** The prompt was interrupted, maybe before it had begun. */
export class PromptInterrupted extends Error {
  override readonly name = 'PromptInterrupted';
}

export interface QueuedRun extends HostPrompt {
  readonly controller: AbortController;
}

interface Known extends QueuedRun {
  readonly ended: PromiseWithResolvers<PromptEnd>;
}

export type RunHostPrompt = (prompt: QueuedRun) => Promise<PromptEnd>;

export class HostPromptQueue {
  readonly #run: RunHostPrompt;
  readonly #known = new Map<string, Known>();
  #waiting: Known[] = [];
  #active: Known | undefined;
  #isClosed = false;
  #idle: Promise<void> = Promise.resolve();

  /** `run` runs one prompt to its end. */
  constructor(run: RunHostPrompt) {
    this.#run = run;
  }

  get isBusy(): boolean {
    return this.#active !== undefined || this.#waiting.length > 0;
  }

  /** Throws `PromptRefused`. */
  add(given: HostPrompt): PromptTicket {
    const { id, content } = given;
    const known = this.#known.get(id);
    if (known && !given.isUnfinished && !isDeepStrictEqual(known.content, content)) {
      throw new PromptRefused(
        `The id ${JSON.stringify(id.slice(0, 80))} was given to another prompt of this session, so this one is not run. Send it with an id of its own.`,
      );
    }
    if (known) return { id, isNew: false, ended: known.ended.promise };
    if (this.#isClosed) throw new PromptRefused('The session is closed, so it takes no more prompts.');
    const chars = this.#waiting.reduce((sum, waiting) => sum + charsOf(waiting.content), charsOf(content));
    if (this.#waiting.length >= MAX_WAITING || (this.#waiting.length > 0 && chars > MAX_WAITING_CHARS)) {
      throw new PromptRefused(
        `${this.#waiting.length} prompts are already waiting. Send this one again when the next has ended.`,
      );
    }
    const prompt: Known = { ...given, controller: new AbortController(), ended: Promise.withResolvers() };
    this.#known.set(id, prompt);
    this.#waiting.push(prompt);
    if (!this.#active) this.#idle = this.#work();
    return { id, isNew: true, ended: prompt.ended.promise };
  }

  /** Whether a prompt with this id was sent before. */
  knows(id: string): boolean {
    return this.#known.has(id);
  }

  /** Ends one prompt, or all: the one that runs and those that wait. Returns whether there was any. */
  cancel(id?: string): boolean {
    const all = [...(this.#active ? [this.#active] : []), ...this.#waiting];
    const meant = all.filter((prompt) => id === undefined || prompt.id === id);
    for (const { controller } of meant) controller.abort(new PromptInterrupted('Interrupted.'));
    return meant.length > 0;
  }

  /** Takes no more prompts, cancels all, and waits for their ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.cancel();
    await this.#idle;
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#active = next;
      const end = await this.#run(next).catch((error: unknown) => ({ error: asError(error) }));
      this.#active = undefined;
      next.ended.resolve(end);
      this.#forgetOldest();
    }
  }

  #forgetOldest(): void {
    for (const id of this.#known.keys()) {
      if (this.#known.size <= REMEMBERED + this.#waiting.length) return;
      this.#known.delete(id);
    }
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const charsOf = (content: readonly UserBlock[]): number =>
  content.reduce((sum, block) => {
    if (block.type === 'text') return sum + block.text.length;
    return sum + (block.type === 'image' ? block.source.data.length : 0);
  }, 0);
