import type { CallEnvironment } from '../calls/environment.js';
import type { AgentEvent, AgentHappening, RunOutcome } from '../contract/event.js';
import type { Message, UserBlock, UserMessage } from '../contract/message.js';
import type { Model } from '../contract/model.js';
import { monotonicMs, steadyClock } from '../platform/clock.js';
import { EventQueue } from '../platform/event-queue.js';
import type { ConversationContext } from './context/conversation-context.js';
import { conversationHooks } from './conversation-hooks.js';
import { RunRecord } from './run-record.js';
import type { Session } from './session.js';
import type { SessionKeeper } from './store/lazy-store.js';
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
  keeper?: Pick<SessionKeeper, 'prompt' | 'take' | 'begin'> | undefined;
  /** Takes over what has changed in settings. */
  refresh?(emit: (happening: AgentHappening) => void): Promise<void>;
  prompt: readonly UserBlock[];
  /** How many requests to the model this run may make. */
  maxTurns?: number | undefined;
  signal: AbortSignal;
}

/** Runs one prompt to its end. Whoever stops reading the events interrupts the run. */
export async function* runLoop(input: LoopInput): AsyncGenerator<AgentEvent, void, void> {
  const queue = new EventQueue<AgentEvent>();
  const stop = new AbortController();
  const signal = AbortSignal.any([input.signal, stop.signal]);
  const now = steadyClock();
  const emit = (happening: AgentHappening): void => {
    input.keeper?.take(happening);
    queue.push(Object.assign(happening, { at: now() }));
  };
  let isOver = false;
  const driving = drive({ ...input, signal }, emit)
    .then(
      () => queue.end(),
      (error: unknown) => queue.fail(error),
    )
    .finally(() => {
      isOver = true;
    });
  try {
    yield* queue;
  } finally {
    if (!isOver) stop.abort();
    await driving;
  }
}

async function drive(input: LoopInput, emit: (happening: AgentHappening) => void): Promise<void> {
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

  emit({
    type: 'session_start',
    sessionId: session.id,
    cwd: session.cwd,
    model: model.name,
    mode: session.mode,
    tools: [...session.tools.names],
    ...(session.tools.servers.length > 0 && {
      mcpServers: session.tools.servers.map(({ name, status }) => ({ name, status })),
    }),
  });
  // Both before the first request: a call may come with the first words of the answer.
  void session.tools.preload(session);
  begun = input.keeper?.begin();
  await input.refresh?.(emit);
  const hooks = conversationHooks(environment.hooks, session, { emit, signal });
  const { added, refused } = await hooks.onPrompt(input.prompt).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return { added: [], refused: undefined }; // the first turn sees that it is interrupted
  });
  if (refused !== undefined) return finish('stopped', refused);
  const prompt = [...input.prompt, ...added, ...session.takeReminders()];
  session.transcript.append({ role: 'user', content: prompt });
  session.latestPrompt = prompt;
  input.keeper?.prompt(prompt);

  for (let turn = 1; turn <= maxTurns; turn += 1) {
    const full = await context.makeRoom({ hooks: environment.hooks, emit: note, signal });
    if (full) return finish(full.end, full.text);
    emit({ type: 'turn_start', turn });
    if (turn > 1) await input.refresh?.(emit);
    const request = {
      system: input.system,
      tools: session.tools.definitions(),
      messages: session.transcript.forRequest(),
    };
    const started = monotonicMs();
    const claimCallId = (id: string): string => session.claimCallId(id);
    const outcome = await runTurn({ model, request, environment, claimCallId, signal });
    run.add(outcome, monotonicMs() - started);
    context.answered(request, outcome);
    const results = await context.fitResults(outcome.results);

    if (outcome.message) {
      say(outcome.message);
      emit({ type: 'assistant_message', message: outcome.message, id: outcome.id, model: outcome.model });
    }
    let next = run.next(outcome);
    if (next.end === 'context_overflow') next = context.afterOverflow(next, outcome);
    if (next.end === 'completed') {
      const say = await hooks.onEnd(next.text);
      if (say !== undefined) next = { say };
    }
    const content: UserBlock[] = [...results];
    if (next.say !== undefined) content.push({ type: 'text', text: next.say });
    // Only with what the model reads next: after its last word they wait for the next prompt.
    if (content.length > 0 && next.end === undefined) content.push(...session.takeReminders());
    if (content.length > 0) say({ role: 'user', content } satisfies UserMessage);
    emit({ type: 'turn_end', turn, stopReason: outcome.stopReason, usage: outcome.usage });
    if (next.end !== undefined) return finish(next.end, next.text);
  }
  finish(
    'max_turns',
    `Stopped after ${maxTurns === 1 ? 'one turn' : `${maxTurns} turns`}, the limit set for this run, before the work was done.`,
  );
}
