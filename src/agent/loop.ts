// Runs one prompt to its end: request after request, with the calls of each answer, until the model or a limit ends it.
import type { CallEnvironment } from '../calls/environment.js';
import type { AgentEvent, AgentHappening, RunOutcome } from '../contract/event.js';
import type { Message, UserBlock, UserMessage } from '../contract/message.js';
import type { Model, ModelFailure } from '../contract/model.js';
import { steadyClock } from '../platform/clock.js';
import { EventQueue } from '../platform/event-queue.js';
import { reapedLeftovers } from '../platform/shell/leftovers.js';
import type { ConversationContext } from './context/conversation-context.js';
import { LimitNotes } from './limit-notes.js';
import { RunRecord } from './run-record.js';
import type { Session } from './session.js';
import { atOnce, type EarlyEnd, emitter, type RunMoment, type SessionComponent } from './session-component.js';
import type { OpenCalls } from './store/restored-session.js';
import { type RunTimeLimit, TimeUp } from './time-up.js';
import { runTurn } from './turn.js';

export interface LoopInput {
  session: Session;
  model: Model;
  /** Provides the system prompt, and keeps the conversation within the model's window. */
  context: ConversationContext;
  components: readonly SessionComponent[];
  environment(emit: (happening: AgentHappening) => void): CallEnvironment;
  /** `unfinished`: goes on with the run that an earlier process could not finish. */
  prompt: readonly UserBlock[] | 'unfinished';
  /** Calls of the last answer that had not begun: they run first. Only with `unfinished`. */
  openCalls?: OpenCalls | undefined;
  /** Messages of the person during the run, each returned once. They are sent with the next request. */
  steering?: (() => readonly UserBlock[]) | undefined;
  /** How many requests to the model this run may make. */
  maxTurns?: number | undefined;
  /** How long this run may take: the shortest applies. */
  timeLimits?: readonly RunTimeLimit[] | undefined;
  signal: AbortSignal;
}

/** Runs one prompt to its end. A caller that stops reading the events interrupts the run. */
export async function* runLoop(input: LoopInput): AsyncGenerator<AgentEvent, void, void> {
  const { session, components } = input;
  const queue = new EventQueue<AgentEvent>();
  const stop = new AbortController();
  const timeUp = new TimeUp(input.timeLimits);
  const signal = AbortSignal.any([input.signal, stop.signal, timeUp.signal]);
  const run = new RunRecord(input.model, session.used);
  let isOver = false;
  const record: SessionComponent = { name: 'run record', onEvent: (event) => run.note(event) };
  const emit = emitter(
    [record, ...components],
    (event) => {
      queue.push(event);
      if (event.type !== 'result') return;
      isOver = true;
      queue.end(); // the result is the last event, even if child agents continue in the background
    },
    steadyClock(),
  );
  session.isBusy = true;
  const driving = drive({ ...input, signal }, { run, timeUp, emit: (happening) => emit(timeUp.toldIn(happening)) })
    .then(
      () => queue.end(),
      (error: unknown) => queue.fail(error),
    )
    .finally(() => {
      session.isBusy = false;
      isOver = true;
      timeUp.clear();
      for (const component of components) component.afterRun?.();
    });
  try {
    yield* queue;
  } finally {
    if (!isOver) stop.abort();
    await driving;
  }
}

interface Drive {
  run: RunRecord;
  timeUp: TimeUp;
  emit(happening: AgentHappening): void;
}

async function drive(input: LoopInput, { run, timeUp, emit }: Drive): Promise<void> {
  const { session, model, context, components, signal, maxTurns = Number.POSITIVE_INFINITY } = input;
  const moment: RunMoment = { emit, signal };
  const engine = input.environment(emit);
  let opened: Promise<void> | undefined;
  const environment: CallEnvironment = {
    ...engine,
    // No call starts before the session's file exists, so that after a crash it is known which calls had started.
    ready: async () => void (await Promise.all([engine.ready?.(), opened])),
  };
  const say = (message: Message): void => {
    session.transcript.append(message);
    if (message.role === 'user') emit({ type: 'user_message', message });
  };
  const finish = (outcome: RunOutcome, text: string): void => {
    const parts = components.map((component) => component.describeResult?.());
    emit(Object.assign(run.result(outcome, text), ...parts));
  };
  const refresh = (): Promise<void> => atOnce(components, (component) => component.refresh?.(moment));
  const beforeMessage = async (): Promise<void> => {
    for (const component of components) await component.beforeMessage?.();
  };
  const interrupted = (): Promise<void> => atOnce(components, (component) => component.onInterrupted?.());

  const typed = input.prompt === 'unfinished' ? [] : input.prompt;
  await atOnce(components, (component) => component.prepare?.(typed, moment));
  await session.tools.ready();
  emit({
    type: 'session_start',
    sessionId: session.id,
    cwd: session.cwd,
    model: model.name,
    mode: session.mode,
    tools: [...session.tools.names],
    ...Object.assign({}, ...components.map((component) => component.describe?.())),
    ...(session.tools.servers.length > 0 && {
      mcpServers: session.tools.servers.map(({ name, status }) => ({ name, status })),
    }),
  });
  session.prepare(session.own(reapedLeftovers)); // in conversations without a command too
  // Before the first request, since the answer may begin with a call.
  opened = atOnce(components, (component) => component.open?.());
  await refresh();
  if (input.prompt === 'unfinished') {
    await beforeMessage();
    const { runOpenCalls } = await import('./run-open-calls.js');
    const results = input.openCalls ? await runOpenCalls(input.openCalls, { environment, signal }) : [];
    const last = session.transcript.messages.at(-1);
    if (results.length === 0 && last?.role !== 'user') return finish('completed', textOf(last));
    const content: UserBlock[] = [...(await context.fitResults(results)), ...session.takeReminders()];
    if (content.length > 0) say({ role: 'user', content });
    if (signal.aborted) {
      await interrupted();
      return finish('interrupted', timeUp.interruption);
    }
  } else {
    const words = await promptFrom(components, input.prompt, moment);
    if ('refuse' in words) return finish('stopped', words.refuse);
    await beforeMessage();
    const more = [...words.added, ...session.takeReminders()];
    // The same prompt again after a failed request is already in the history.
    const isRepeated = isUnanswered(words.prompt, session.transcript.messages.at(-1));
    const prompt = isRepeated ? more : [...words.prompt, ...more];
    session.latestPrompt = [...words.prompt, ...more];
    if (prompt.length > 0) {
      session.transcript.append({ role: 'user', content: prompt });
      for (const component of components) component.onPrompt?.(prompt);
    }
  }

  const limits = new LimitNotes({ maxTurns, timeLimits: input.timeLimits });
  const preloaded = new Set<string>();
  let expectedCall: string | undefined;
  let continues: ModelFailure | undefined;
  for (let turn = 1; turn <= maxTurns; turn += 1) {
    for (const component of components) {
      const ended = component.beforeRequest?.();
      if (ended) return finish(ended.end, ended.text);
    }
    const full = await context.makeRoom({ hooks: environment.hooks, emit, signal });
    if (full && signal.aborted) await interrupted();
    if (full) return finish(full.end, full.text);
    emit({ type: 'turn_start', turn });
    if (turn > 1) await Promise.all([refresh(), opened]);
    const request = {
      system: context.system,
      tools: session.tools.definitions(),
      messages: session.transcript.forRequest(),
      ...(expectedCall !== undefined && { expectedCall }),
      ...(continues && { continues }),
      onSent() {
        for (const component of components) component.onRequestSent?.();
      },
    };
    const outcome = await runTurn({
      model,
      request,
      environment,
      claimCallId: (id) => session.claimCallId(id),
      onCallStart(tool) {
        if (!tool.preload || preloaded.has(tool.name)) return;
        preloaded.add(tool.name);
        session.prepare(tool.preload(session));
      },
      onBlock(block) {
        for (const component of components) component.onBlock?.(block);
      },
      onAnswer(message, facts) {
        for (const component of components) component.onAnswer?.(message, facts);
      },
      signal,
    });
    run.add(outcome);
    expectedCall = outcome.malformedTool;
    context.answered(request, outcome);
    const results = await context.fitResults(outcome.results);

    if (outcome.message) {
      say(outcome.message);
      emit({ type: 'assistant_message', message: outcome.message, id: outcome.id, model: outcome.model });
    }
    let next = run.next(outcome, timeUp.interruption);
    if (next.end === 'context_overflow') next = context.afterOverflow(next, outcome);
    if (next.end === 'completed' || next.end === 'empty_answer') {
      const sentBack = await wordsBeforeEnd(components, next.text, moment);
      if (signal.aborted) next = { end: 'interrupted', text: 'Interrupted.' };
      else if (typeof sentBack === 'string') next = { say: sentBack };
      else if (sentBack !== undefined) next = sentBack;
    }
    const done = { message: outcome.message, results: outcome.results, sent: results, goesOn: next.end === undefined };
    for (const component of components) {
      const stopped = await component.afterTurn?.(done, moment);
      if (stopped !== undefined && next.end === undefined) next = { end: 'stopped', text: stopped };
    }
    continues = next.continues;
    const content: UserBlock[] = [...results];
    if (next.say !== undefined) content.push({ type: 'text', text: next.say });
    // Only if the run continues: after the last answer, reminders wait for the next prompt.
    if (content.length > 0 && next.end === undefined) {
      await beforeMessage();
      for (const note of limits.due(turn)) session.remind(note);
      // If there are prompt hooks, messages of the person wait for the next prompt, which the hooks see.
      if (!environment.hooks.has('UserPromptSubmit')) content.push(...(input.steering?.() ?? []));
      content.push(...session.takeReminders());
    }
    if (content.length > 0) say({ role: 'user', content } satisfies UserMessage);
    emit({ type: 'turn_end', turn, stopReason: outcome.stopReason, usage: outcome.usage });
    if (signal.aborted) await interrupted();
    if (next.end !== undefined) {
      const { end, text } = next;
      if (failures.has(end)) await atOnce(components, (component) => component.onFailed?.(end, text, moment));
      return finish(end, text);
    }
  }
  finish(
    'max_turns',
    `Stopped after ${maxTurns === 1 ? 'one turn' : `${maxTurns} turns`}, the limit set for this run, before the work was done.`,
  );
}

/** The prompt after all components have seen it, or why it is not sent. */
async function promptFrom(
  components: readonly SessionComponent[],
  typed: readonly UserBlock[],
  moment: RunMoment,
): Promise<{ prompt: readonly UserBlock[]; added: readonly UserBlock[] } | { refuse: string }> {
  let prompt = typed;
  const added: UserBlock[] = [];
  for (const component of components) {
    const change = await component.beforePrompt?.(prompt, moment).catch((error: unknown) => {
      if (!moment.signal.aborted) throw error;
      return undefined; // the first turn handles the interrupt
    });
    if (change?.refuse !== undefined) return { refuse: change.refuse };
    prompt = change?.prompt ?? prompt;
    added.push(...(change?.add ?? []));
  }
  return { prompt, added };
}

const textOf = (message: Message | undefined): string =>
  (message?.content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

/** The message that is sent to the model if it may not end yet, or another end of the run; undefined if it may end. */
async function wordsBeforeEnd(
  components: readonly SessionComponent[],
  lastText: string,
  moment: RunMoment,
): Promise<string | EarlyEnd | undefined> {
  for (const component of components) {
    const words = await component.beforeEnd?.(lastText, moment);
    if (moment.signal.aborted) return undefined;
    if (words !== undefined) return words;
  }
  return undefined;
}

/** Whether the prompt is the last message, and has no answer. */
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
