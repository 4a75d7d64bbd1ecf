// Prompts of a host that Helve carries out itself, without the model.
import { noUsage } from '../../agent/usage.js';
import type { FullAgent } from '../../compose/create-agent.js';
import type { AgentEvent, AgentHappening, RunResult } from '../../contract/event.js';
import type { UserBlock } from '../../contract/message.js';

interface LocalRun {
  signal: AbortSignal;
  write(event: AgentEvent): Promise<void>;
}

/** Runs `/compact`; undefined for a prompt that goes to the model. */
export async function runLocalCommand(
  agent: FullAgent,
  prompt: readonly UserBlock[],
  { signal, write }: LocalRun,
): Promise<RunResult | undefined> {
  const [first] = prompt;
  const text = first?.type === 'text' && prompt.length === 1 ? first.text.trim() : '';
  const found = /^\/compact(?:\s+(.*))?$/s.exec(text);
  if (!found) return undefined;
  const begun = Date.now();
  const events: AgentHappening[] = [];
  await agent.compact(found[1], { signal, onEvent: (event) => events.push(event) });
  const now = Date.now();
  for (const event of events) await write({ at: now, ...event } as AgentEvent); // the stamp of an event is its time
  return {
    type: 'result',
    outcome: 'completed',
    text: events.some(({ type }) => type === 'compaction') ? 'Compacted.' : 'There was nothing to compact.',
    turns: 0,
    stopReason: null,
    usage: noUsage,
    costUsd: 0,
    models: [],
    modelMs: 0,
    totalMs: now - begun,
    denials: [],
  };
}
