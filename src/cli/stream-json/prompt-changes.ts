// Which calls each prompt of the host led to, so that a host can undo what came after a prompt.
import type { AgentEvent } from '../../contract/event.js';

export class PromptChanges {
  readonly #prompts: Array<{ uuid: string | undefined; callIds: Set<string> }> = [];

  begin(uuid: string | undefined): void {
    this.#prompts.push({ uuid, callIds: new Set() });
  }

  see(event: AgentEvent): void {
    let inner = event;
    while (inner.type === 'agent_event') inner = inner.event;
    if (inner.type === 'tool_call') this.#prompts.at(-1)?.callIds.add(inner.callId);
  }

  /** The calls since a prompt, those that it led to included; undefined for an unknown prompt. */
  callsSince(uuid: string): ReadonlySet<string> | undefined {
    const index = this.#prompts.findIndex((prompt) => prompt.uuid === uuid);
    if (index < 0) return undefined;
    return new Set(this.#prompts.slice(index).flatMap(({ callIds }) => [...callIds]));
  }
}
