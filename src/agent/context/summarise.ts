import type { AgentHappening } from '../../contract/event.js';
import type { Message } from '../../contract/message.js';
import { type Model, ModelFailure, type ModelRequest, type Usage } from '../../contract/model.js';
import { messageOf } from '../../platform/message-of.js';
import { addUsage, noUsage } from '../usage.js';
import type { ContextSize } from './context-size.js';
import { askingFor, fitHistory } from './summary-request.js';

const MAX_TRIES = 3; // requests if the provider refuses them as too long; each is smaller than the one before
const SMALLER = 0.6;
const LEAST_CHARS = 20; // "Done." is not a summary

export interface SummaryInput {
  model: Model;
  /** A request with the whole conversation. */
  request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>;
  /** Instructions of the person or a hook for the summary. */
  instructions: readonly string[];
  size: ContextSize;
  /** Tokens for the messages. */
  budget: number;
  emit(happening: AgentHappening): void;
  signal: AbortSignal;
}

/** `summary` is absent if the model gave none, and `why` is the reason. Throws only if the signal aborts. */
export type SummaryOutcome = { usage: Usage } & ({ summary: string } | { summary?: undefined; why: string });

export async function summarise(input: SummaryInput): Promise<SummaryOutcome> {
  const { request, size, signal } = input;
  const instruction = instructionWith(input.instructions);
  const own = size.ofBlock({ type: 'text', text: instruction });
  let { budget } = input;
  let usage = noUsage;
  let why = 'not even the latest of it fits into a request';
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const messages = fitHistory(request.messages, { size, budget: budget - own });
    if (!messages) break;
    try {
      const answer = await ask(input, askingFor(messages, instruction));
      usage = addUsage(usage, answer.usage);
      const text = answer.text.trim();
      if (text.length >= LEAST_CHARS && !answer.isRefused) return { summary: text, usage };
      why = answer.isRefused ? 'it refused to' : text === '' ? 'its answer had no text' : 'its answer was too short';
      break;
    } catch (error) {
      signal.throwIfAborted();
      // Without the advice, which is for someone who would send the request again.
      why = (error instanceof ModelFailure ? error.problem : messageOf(error)).replace(/\.$/, '');
      if (!(error instanceof ModelFailure) || error.kind !== 'context_overflow') break;
      const sent = messages.reduce((sum, message) => sum + size.ofMessage(message), own);
      budget = Math.min(budget, sent) * SMALLER;
    }
  }
  return { usage, why };
}

async function ask(
  { model, request, emit, signal }: SummaryInput,
  messages: readonly Message[],
): Promise<{ text: string; usage: Usage; isRefused: boolean }> {
  let text = '';
  let usage = noUsage;
  let isRefused = false;
  for await (const event of model.stream({ ...request, messages, aside: true }, signal)) {
    if (event.type === 'text_delta') text += event.text;
    else if (event.type === 'restart') text = '';
    else if (event.type === 'retry') emit({ ...event, type: 'model_retry' });
    else if (event.type === 'message_end') {
      usage = event.usage;
      isRefused = event.stopReason === 'refusal';
    }
  }
  signal.throwIfAborted();
  return { text, usage, isRefused };
}

const instructionWith = (wishes: readonly string[]): string =>
  wishes.length === 0 ? INSTRUCTION : `${INSTRUCTION}\n\nMind above all:\n${wishes.join('\n')}`;

const INSTRUCTION = `[The context window is nearly full, so the conversation above will be replaced by a summary that you write now. You will go on with the work from your summary alone.

Write down, as briefly as is complete:
1. What the user wants, with every instruction, limit and preference they gave, in their own words where the words matter.
2. What was found out: facts, names, paths, lines, numbers, error messages, decisions and the reasons for them.
3. What was done: each file that was made or changed and how, each command that mattered and what came of it.
4. What failed, and what must not be tried again.
5. Where the work stands, and what is next, step by step.

Answer with the summary alone. Call no tool.]`;
