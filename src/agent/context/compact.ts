// Replaces the history by a summary. This always succeeds: a request that is too long is shortened, and if the model
// gives no summary, the program lists the prompts and calls.

import { appendFile } from 'node:fs/promises';
import type { CompactionRefused } from '../../contract/context.js';
import type { AgentHappening, CompactionEvent } from '../../contract/event.js';
import type { Hooks } from '../../contract/hook.js';
import type { Message, UserBlock } from '../../contract/message.js';
import type { Model, ModelRequest } from '../../contract/model.js';
import { messageOf } from '../../platform/message-of.js';
import { grouped } from '../../platform/text/digits.js';
import { cutMiddle } from '../../platform/text/truncate.js';
import type { Session } from '../session.js';
import { noUsage } from '../usage.js';
import { hasAnswer, latestFrom, latestPrompt, summaryContent } from './compact-history.js';
import type { ContextLimits } from './context-limits.js';
import type { ContextSize } from './context-size.js';
import type { HistoryKeeper } from './conversation-context.js';
import { forgetShown } from './forget-shown.js';
import { listHistory } from './list-history.js';
import { summarise } from './summarise.js';

// Shares of the room for the conversation. Together they leave enough for the work to continue.
const KEPT_SHARE = 0.4; // also of the current history; larger than the share of one turn's results, so that the last ones are kept
const SUMMARY_SHARE = 0.25;
export const PROMPT_SHARE = 0.2;

export interface CompactionInput {
  session: Session;
  model: Model;
  system: readonly string[];
  size: ContextSize;
  limits: ContextLimits;
  hooks: Hooks;
  keeper?: Pick<HistoryKeeper, 'compacted' | 'forgot'> | undefined;
  trigger: CompactionEvent['trigger'];
  instructions?: string | undefined;
  /** Whether the latest messages are kept unchanged, as far as there is room. */
  keepLatest: boolean;
  emit(happening: AgentHappening): void;
  signal: AbortSignal;
}

/** Rejects only if the signal aborts; then nothing has changed. */
export async function compact(input: CompactionInput): Promise<CompactionEvent | CompactionRefused> {
  const { session, model, size, limits, trigger, emit, signal } = input;
  const asked = await askHooks(input);
  if ('why' in asked) return asked;

  const request = requestOf(input);
  const { messages } = request;
  const parts = size.measure(request);
  const fixed = parts.system + parts.tools;
  const room = limits.room(fixed);
  const answered = hasAnswer(messages);
  const outcome = answered
    ? await summarise({ model, request, instructions: asked.instructions, size, budget: room, emit, signal })
    : { usage: noUsage, why: 'there is nothing but a prompt, and that is too long for it' };
  const listedBecause = outcome.summary === undefined ? outcome.why : undefined;
  const whole = outcome.summary ?? listHistory(messages, outcome.why);
  const summary = cutMiddle(whole, size.charsOf(whole, room * SUMMARY_SHARE));

  const budget = Math.min(room, parts.messages + parts.results) * KEPT_SHARE;
  const from = input.keepLatest ? latestFrom(messages, { size, budget }) : messages.length;
  const kept = messages.slice(from);
  const prompt = await promptBeside(kept, { session, messages, size, tokens: room * PROMPT_SHARE });
  const files = forgetShown(callIdsOf(messages.slice(0, from)), kept, input);
  const { plan } = session;
  const todos = session.todos?.length
    ? session.todos.map(({ content, status }) => `[${status}] ${content}`)
    : undefined;
  const isUnderWay = kept.length === 0 && trigger === 'auto';
  const content = summaryContent({ summary, files, todos, plan, prompt, isUnderWay });
  session.transcript.replace([{ role: 'user', content }, ...kept]);
  size.recount();
  input.keeper?.compacted(content, kept.length);
  session.planning.forgetReminder();

  const event: CompactionEvent = {
    type: 'compaction',
    trigger,
    tokensBefore: totalOf(parts),
    tokensAfter: totalOf(size.measure(requestOf(input))),
    clearedResults: 0,
    summarisedMessages: from,
    usage: outcome.usage,
    ...(listedBecause !== undefined && { listedBecause }),
  };
  if (listedBecause !== undefined) {
    const text = `The model could not summarise the conversation (${listedBecause}). It continues with a list of prompts and calls.`;
    emit({ type: 'notice', text });
  }
  emit(event);
  await tellHooks(input, summary);
  return event;
}

/** The system prompt, tools and messages of a request. */
export const requestOf = ({
  session,
  system,
}: Pick<CompactionInput, 'session' | 'system'>): Pick<ModelRequest, 'system' | 'tools' | 'messages'> => ({
  system,
  tools: session.tools.definitions(),
  messages: session.transcript.forRequest(),
});

const totalOf = (parts: ReturnType<ContextSize['measure']>): number =>
  parts.system + parts.tools + parts.messages + parts.results;

const callIdsOf = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));

async function askHooks({
  hooks,
  trigger,
  instructions,
  emit,
  signal,
}: CompactionInput): Promise<CompactionRefused | { instructions: string[] }> {
  const wishes = instructions?.trim() ? [instructions.trim()] : [];
  if (!hooks.has('PreCompact')) return { instructions: wishes };
  const payload = { trigger, custom_instructions: instructions ?? '' };
  const outcome = await hooks.run('PreCompact', payload, { signal });
  for (const text of [...outcome.messages, ...outcome.reports]) emit({ type: 'notice', text });
  if (outcome.stop) return { type: 'refused', why: outcome.stop.reason, stop: true };
  if (outcome.block && trigger === 'manual') return { type: 'refused', why: outcome.block.reason, stop: false };
  if (outcome.block) {
    const text = `A hook objects to compacting (${outcome.block.reason}), but the context window is full, so it is done anyway.`;
    emit({ type: 'notice', text });
  }
  return { instructions: [...wishes, ...outcome.additionalContext] };
}

/** Runs the hooks after a compaction, since their context from the start of the session is gone. */
async function tellHooks({ hooks, session, emit, signal, trigger }: CompactionInput, summary: string): Promise<void> {
  if (hooks.has('PostCompact')) {
    const payload = { trigger, compact_summary: summary };
    const outcome = await hooks.run('PostCompact', payload, { signal }).catch(() => undefined);
    for (const text of [...(outcome?.messages ?? []), ...(outcome?.reports ?? [])]) emit({ type: 'notice', text });
  }
  if (!hooks.has('SessionStart')) return;
  const outcome = await hooks.run('SessionStart', { source: 'compact' }, { signal }).catch(() => undefined);
  if (!outcome) return; // the person interrupted; the compaction is kept
  for (const text of [...outcome.messages, ...outcome.reports]) emit({ type: 'notice', text });
  for (const text of outcome.additionalContext) session.remind(text);
}

interface PromptPlace {
  session: Session;
  messages: readonly Message[];
  size: ContextSize;
  tokens: number;
}

/** The last prompt if it is not among the kept messages: unchanged, or shortened to fit. */
async function promptBeside(kept: readonly Message[], place: PromptPlace): Promise<readonly UserBlock[] | undefined> {
  const { session, messages, size, tokens } = place;
  const prompt = session.latestPrompt ?? latestPrompt(messages);
  if (!prompt || kept.some(({ content }) => prompt.every((block) => content.some((same) => same === block)))) {
    return undefined;
  }
  if (prompt.reduce((sum, block) => sum + size.ofBlock(block), 0) <= tokens) return prompt;
  const text = prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const images = prompt.filter(({ type }) => type === 'image').length;
  const short = cutMiddle(text, size.charsOf(text, tokens));
  const notes = [
    ...(images > 0 ? [`${images === 1 ? 'An image' : `${images} images`} had to be left out.`] : []),
    ...(short === text ? [] : [await savedPrompt(text, session)]),
  ];
  return [{ type: 'text', text: `${short}\n[${notes.join(' ')}]` }];
}

async function savedPrompt(text: string, session: Session): Promise<string> {
  const much = `The prompt has ${grouped(text.length)} characters, of which these are the first and the last.`;
  try {
    const file = await session.resultFile('prompt.txt');
    await appendFile(file, text);
    return `${much} All of it is in ${file}: read it in parts, or search it.`;
  } catch (error) {
    const why = messageOf(error);
    return `${much} The rest could not be saved (${why}).`;
  }
}
