// The prompts that this client sends to a session in another process. They run after what was sent before, and can be
// taken back until they begin.
import { randomId } from '../../platform/crypto.js';
import { messageOf } from '../../platform/message-of.js';
import type { WantedPrompt } from '../session/conversation.js';
import type { AttachedSession } from './attached-session.js';

export interface RemotePromptsOptions {
  session: Pick<AttachedSession, 'prompt' | 'interrupt'>;
  isBusy(): boolean;
  onChange(): void;
  onProblem(sentence: string): void;
}

export class RemotePrompts {
  readonly #options: RemotePromptsOptions;
  /** Those that have not begun, by their ids. */
  readonly #waiting = new Map<string, WantedPrompt>();
  readonly #takenBack = new Set<string>();

  constructor(options: RemotePromptsOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#options.isBusy();
  }

  get waiting(): WantedPrompt[] {
    return [...this.#waiting.values()];
  }

  /** Whether it is not to be shown: its text is in the editor again. */
  isTakenBack(promptId: string): boolean {
    return this.#takenBack.has(promptId);
  }

  hasBegun(promptId: string): void {
    this.#waiting.delete(promptId);
  }

  /** Rejects if the session does not accept it. */
  async send(prompt: WantedPrompt): Promise<void> {
    const id = randomId();
    this.#waiting.set(id, prompt);
    this.#options.onChange();
    try {
      await this.#options.session.prompt({ id, text: prompt.text, images: prompt.images ?? [] });
    } catch (error) {
      this.#waiting.delete(id);
      throw error;
    }
  }

  takeBack(): WantedPrompt[] {
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const [id] of all) {
      this.#takenBack.add(id);
      this.#interrupt(id);
    }
    return all.map(([, prompt]) => prompt);
  }

  /** Ends what runs and what waits. False if the session has nothing to do. */
  interrupt(): boolean {
    if (!this.isRunning) return false;
    this.#interrupt();
    return true;
  }

  #interrupt(promptId?: string): void {
    const { session, onProblem } = this.#options;
    session.interrupt(promptId).catch((error: unknown) => onProblem(messageOf(error)));
  }
}
