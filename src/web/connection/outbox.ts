// Prompts that were sent and are not acknowledged yet. Each keeps its id until the server has it, also over a reload, so
// that the same prompt is never run twice and never lost.
import { type Signal, signal } from '@preact/signals';
import { type Link, LinkBroken } from './link.js';

const KEY = 'helve.outbox';

export interface OutgoingPrompt {
  promptId: string;
  sessionId: string;
  cwd: string;
  text: string;
  /** The server has it; it waits there for the prompts before it. */
  isAccepted?: boolean;
  /** Why the server did not take it. It is kept, so that the person can change it or send it again. */
  problem?: string;
}

export class Outbox {
  readonly prompts: Signal<readonly OutgoingPrompt[]>;
  readonly #link: Link;
  readonly #onAccepted: (sessionId: string) => void;
  /** What is on its way, by session: one that does not answer holds up its own prompts alone. */
  readonly #sending = new Map<string, Promise<void>>();

  constructor(link: Link, onAccepted: (sessionId: string) => void) {
    this.#link = link;
    this.#onAccepted = onAccepted;
    this.prompts = signal(stored());
    link.onOpen(() => this.#sendAll());
  }

  send(prompt: Pick<OutgoingPrompt, 'sessionId' | 'cwd' | 'text'>): void {
    this.#set([...this.prompts.peek(), { ...prompt, promptId: crypto.randomUUID() }]);
    this.#sendTo(prompt.sessionId);
  }

  has(sessionId: string): boolean {
    return this.prompts.peek().some((prompt) => prompt.sessionId === sessionId);
  }

  /** Takes a refused prompt out, so that its text can be changed. */
  take(promptId: string): OutgoingPrompt | undefined {
    const taken = this.prompts.peek().find((prompt) => prompt.promptId === promptId);
    this.#set(this.prompts.peek().filter((prompt) => prompt !== taken));
    return taken;
  }

  /** The session has begun with the prompt. */
  begun(promptId: string): void {
    if (this.prompts.peek().some((prompt) => prompt.promptId === promptId)) this.take(promptId);
  }

  /** The session has nothing more to do, so none of its accepted prompts waits. */
  rested(sessionId: string): void {
    const left = this.prompts.peek().filter((one) => !(one.sessionId === sessionId && one.isAccepted));
    if (left.length < this.prompts.peek().length) this.#set(left);
  }

  #sendAll(): void {
    for (const sessionId of new Set(this.prompts.peek().map((prompt) => prompt.sessionId))) this.#sendTo(sessionId);
  }

  #sendTo(sessionId: string): void {
    const before = this.#sending.get(sessionId) ?? Promise.resolve();
    const sending = before.then(() => this.#sendEach(sessionId));
    this.#sending.set(sessionId, sending);
    void sending.then(() => this.#sending.get(sessionId) === sending && this.#sending.delete(sessionId));
  }

  async #sendEach(sessionId: string): Promise<void> {
    for (const prompt of this.prompts.peek()) {
      const { promptId, cwd, text, problem, isAccepted } = prompt;
      if (prompt.sessionId !== sessionId || problem !== undefined || isAccepted) continue;
      try {
        await this.#link.request('_helve/prompt', { promptId, sessionId, cwd, prompt: [{ type: 'text', text }] });
        this.#change(promptId, { isAccepted: true });
        this.#onAccepted(sessionId);
      } catch (error) {
        if (error instanceof LinkBroken) return; // it is sent again, with its id, once the connection is back
        const why = error instanceof Error ? error.message : String(error);
        this.#change(promptId, { problem: why });
      }
    }
  }

  #change(promptId: string, change: Partial<OutgoingPrompt>): void {
    this.#set(this.prompts.peek().map((one) => (one.promptId === promptId ? { ...one, ...change } : one)));
  }

  #set(prompts: readonly OutgoingPrompt[]): void {
    this.prompts.value = prompts;
    try {
      sessionStorage.setItem(KEY, JSON.stringify(prompts));
    } catch {
      // They are too long for the storage of the browser, so only a reload of the page would lose them.
    }
  }
}

function stored(): OutgoingPrompt[] {
  try {
    const prompts: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(prompts) ? prompts : [];
  } catch {
    return [];
  }
}
