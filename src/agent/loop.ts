import type { CallEnvironment } from '../calls/environment.js';
import type { AgentEvent, AgentHappening, RunOutcome } from '../contract/event.js';
import type { Message, UserBlock, UserMessage } from '../contract/message.js';
import type { Model } from '../contract/model.js';
import { monotonicMs, steadyClock } from '../platform/clock.js';
import { EventQueue } from '../platform/event-queue.js';
import type { Commands } from './commands/commands.js';
import type { ConversationContext } from './context/conversation-context.js';
import { conversationHooks } from './conversation-hooks.js';
import { LoopGuard } from './loop-guard.js';
import { RunRecord } from './run-record.js';
import type { Session } from './session.js';
import type { SessionKeeper } from './store/lazy-store.js';
import { TimeUp } from './time-up.js';
import { runTurn } from './turn.js';
import type { UsageByModel } from './usage-by-model.js';

export interface LoopInput {
  session: Session;
  model: Model;
  system: readonly string[];
  context: ConversationContext;
  /** What each model was used for since the session began. */
  used?: UsageByModel | undefined;
  environment(emit: (happening: AgentHappening) => void): CallEnvironment;
  /** Keeps what happens. */
  keeper?: Pick<SessionKeeper, 'prompt' | 'take' | 'block' | 'answered' | 'begin'> | undefined;
  /** Takes over what has changed in settings. */
  refresh?(emit: (happening: AgentHappening) => void): Promise<void>;
  /** Before the model may end: waits for what it must still hear of, and gives a word to it; undefined lets it end. */
  beforeEnd?(signal: AbortSignal): Promise<string | undefined>;
  /** Settles when all has ended that an interrupt ends beside the calls: what it still does and says belongs to this run. */
  afterInterrupt?(): Promise<void>;
  prompt: readonly UserBlock[];
  /** What a prompt may call by a name. */
  commands?: Pick<Commands, 'names' | 'expand'> | undefined;
  /** The types of agents that can be started. */
  agents?: readonly string[];
  /** Settles when what goes with the next message has been said. */
  beforeMessage?(): Promise<void>;
  /** What the person has said since the run began; it goes to the model with what it reads next. Each is given once. */
  steering?(): readonly UserBlock[];
  /** How many requests to the model this run may make. */
  maxTurns?: number | undefined;
  /** How long this run may take, in milliseconds. */
  maxTimeMs?: number | undefined;
  signal: AbortSignal;
  /** Is called when all is done, whether or not somebody has read the events by then. */
  onOver?(): void;
}

/** Runs one prompt to its end. Whoever stops reading the events interrupts the run. */
export async function* runLoop(input: LoopInput): AsyncGenerator<AgentEvent, void, void> {
  const queue = new EventQueue<AgentEvent>();
  const stop = new AbortController();
  const timeUp = new TimeUp(input.maxTimeMs);
  const signal = AbortSignal.any([input.signal, stop.signal, timeUp.signal]);
  const now = steadyClock();
  const emit = (happening: AgentHappening): void => {
    input.keeper?.take(happening);
    queue.push(Object.assign(happening, { at: now() }));
    if (happening.type !== 'result') return;
    isOver = true;
    queue.end(); // the result is the last event, also where child agents go on in the background
  };
  let isOver = false;
  input.session.isBusy = true;
  const driving = drive({ ...input, signal }, timeUp, (happening) => emit(timeUp.toldIn(happening)))
    .then(
      () => queue.end(),
      (error: unknown) => queue.fail(error),
    )
    .finally(() => {
      input.session.isBusy = false;
      isOver = true;
      timeUp.clear();
      input.onOver?.();
    });
  try {
    yield* queue;
  } finally {
    if (!isOver) stop.abort();
    await driving;
  }
}

async function drive(input: LoopInput, timeUp: TimeUp, emit: (happening: AgentHappening) => void): Promise<void> {
  const { session, model, context, signal, maxTurns = Number.POSITIVE_INFINITY } = input;
  const run = new RunRecord(model, input.used);
  const note = (happening: AgentHappening): void => {
    run.note(happening);
    emit(happening);
  };
  const engine = input.environment(note);
  let begun: Promise<unknown> | undefined;
  const environment: CallEnvironment = {
    ...engine,
    // No call begins before what keeps the session is there: whatever becomes of us then, it is known what was begun.
    ready: async () => void (await Promise.all([engine.ready?.(), begun])),
  };
  const say = (message: Message): void => {
    session.transcript.append(message);
    if (message.role === 'user') emit({ type: 'user_message', message });
  };
  const finish = (outcome: RunOutcome, text: string): void => emit(run.result(outcome, text));
  const guard = new LoopGuard();

  await session.tools.ready();
  emit({
    type: 'session_start',
    sessionId: session.id,
    cwd: session.cwd,
    model: model.name,
    mode: session.mode,
    tools: [...session.tools.names],
    ...input.commands?.names,
    ...(input.agents && { agents: input.agents }),
    ...(session.tools.servers.length > 0 && {
      mcpServers: session.tools.servers.map(({ name, status }) => ({ name, status })),
    }),
  });
  // Both before the first request: a call may come with the first words of the answer.
  session.prepare(session.tools.preload(session));
  begun = input.keeper?.begin();
  await input.refresh?.(emit);
  const hooks = conversationHooks(environment.hooks, session, { emit, signal, model: input.model.name });
  const { added, refused } = await hooks.onPrompt(input.prompt).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return { added: [], refused: undefined }; // the first turn sees that it is interrupted
  });
  if (refused !== undefined) return finish('stopped', refused);
  const asTyped = { prompt: input.prompt };
  const expanded = await input.commands
    ?.expand(input.prompt, signal, (called) => hooks.onCommand(called, input.prompt))
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return asTyped;
    });
  if (expanded && 'refused' in expanded) return finish('stopped', expanded.refused);
  await input.beforeMessage?.();
  const { prompt: words } = expanded ?? asTyped;
  const more = [...added, ...session.takeReminders()];
  // The same prompt again, after a request that failed: it is in the history already.
  const prompt = isUnanswered(words, session.transcript.messages.at(-1)) ? more : [...words, ...more];
  session.latestPrompt = [...words, ...more];
  if (prompt.length > 0) {
    session.transcript.append({ role: 'user', content: prompt });
    input.keeper?.prompt(prompt);
  }

  for (let turn = 1; turn <= maxTurns; turn += 1) {
    const full = await context.makeRoom({ hooks: environment.hooks, emit: note, signal });
    if (full && signal.aborted) await input.afterInterrupt?.();
    if (full) return finish(full.end, full.text);
    emit({ type: 'turn_start', turn });
    if (turn > 1) await Promise.all([input.refresh?.(emit), begun]);
    const request = {
      system: input.system,
      tools: session.tools.definitions(),
      messages: session.transcript.forRequest(),
    };
    const started = monotonicMs();
    const claimCallId = (id: string): string => session.claimCallId(id);
    const outcome = await runTurn({
      model,
      request,
      environment,
      claimCallId,
      onBlock: (block) => input.keeper?.block(block),
      onAnswer: (message, facts) => input.keeper?.answered(message, facts),
      signal,
    });
    run.add(outcome, monotonicMs() - started);
    context.answered(request, outcome);
    const results = await context.fitResults(outcome.results);

    if (outcome.message) {
      say(outcome.message);
      emit({ type: 'assistant_message', message: outcome.message, id: outcome.id, model: outcome.model });
    }
    let next = run.next(outcome, timeUp.interruption);
    if (next.end === 'context_overflow') next = context.afterOverflow(next, outcome);
    if (next.end === 'completed' || next.end === 'empty_answer') {
      let say = await input.beforeEnd?.(signal);
      if (signal.aborted) next = { end: 'interrupted', text: 'Interrupted.' };
      else say ??= await hooks.onEnd(next.text);
      if (say !== undefined) next = { say };
    }
    if (next.end === undefined && outcome.message) {
      const calls = outcome.message.content.filter((block) => block.type === 'tool_use');
      const stopped = await hooks.onCalls(calls, results).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        return undefined; // the next turn sees that it is interrupted
      });
      if (stopped !== undefined) next = { end: 'stopped', text: stopped };
    }
    const signs = guard.take(outcome.message, outcome.results);
    for (const text of signs.reminders) session.remind(text);
    for (const text of signs.notices) emit({ type: 'notice', text });
    const content: UserBlock[] = [...results];
    if (next.say !== undefined) content.push({ type: 'text', text: next.say });
    // Only with what the model reads next: after its last word they wait for the next prompt.
    if (content.length > 0 && next.end === undefined) {
      await input.beforeMessage?.();
      // Where hooks want to see what a person says, it waits for the next prompt, which they do see.
      if (!environment.hooks.has('UserPromptSubmit')) content.push(...(input.steering?.() ?? []));
      content.push(...session.takeReminders());
    }
    if (content.length > 0) say({ role: 'user', content } satisfies UserMessage);
    emit({ type: 'turn_end', turn, stopReason: outcome.stopReason, usage: outcome.usage });
    if (signal.aborted) await input.afterInterrupt?.();
    if (next.end !== undefined) {
      if (failures.has(next.end)) await hooks.onFailure(next.end, next.text);
      return finish(next.end, next.text);
    }
  }
  finish(
    'max_turns',
    `Stopped after ${maxTurns === 1 ? 'one turn' : `${maxTurns} turns`}, the limit set for this run, before the work was done.`,
  );
}

/** Whether the prompt is the last thing that was said, and has got no answer. */
function isUnanswered(prompt: readonly UserBlock[], last: Message | undefined): boolean {
  if (last?.role !== 'user') return false;
  return JSON.stringify(last.content.slice(0, prompt.length)) === JSON.stringify(prompt);
}

/** Outcomes of runs that failed. */
const failures: ReadonlySet<RunOutcome> = new Set([
  'model_error',
  'context_overflow',
  'output_limit',
  'malformed_calls',
]);
