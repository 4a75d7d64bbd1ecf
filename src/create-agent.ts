import type { CompactionRefused } from './agent/context/compact.js';
import { type ContextOptions, contextFrom } from './agent/context/context-limits.js';
import { type ContextUsage, ConversationContext } from './agent/context/conversation-context.js';
import { runLoop } from './agent/loop.js';
import { mentionedResources } from './agent/mentioned-resources.js';
import { observedEvents, observedModel } from './agent/observe/observe.js';
import type { Session } from './agent/session.js';
import { keeperOf, type SessionKeeper } from './agent/store/lazy-store.js';
import type { ResumedSession } from './agent/store/resume-session.js';
import type { SessionStore } from './agent/store/session-store.js';
import { systemPrompt } from './agent/system-prompt.js';
import { UsageByModel } from './agent/usage-by-model.js';
import type { AgentEvent, AgentHappening, CompactionEvent } from './contract/event.js';
import type { UserBlock } from './contract/message.js';
import type { Model } from './contract/model.js';
import { createEngine, type EngineOptions, type EngineServers } from './create-engine.js';
import { type RetryOptions, withRetries } from './models/retry.js';
import { retriesFrom } from './models/retry-environment.js';

const AFTER_REQUEST_MS = 30; // what is loaded for servers must not hold up the request, nor wait for its answer

export interface AgentOptions extends EngineOptions {
  model: Model;
  /** At most three models that are asked in turn while the one before is overloaded or unavailable. */
  fallbackModels?: readonly Model[];
  /** How failed requests are sent again, before what the environment says; false for not at all. */
  retries?: Omit<RetryOptions, 'fallbacks'> | false;
  maxTurns?: number;
  /** How the context window is used, before what the environment says. */
  context?: ContextOptions;
  /** Writes the conversation to the data folder, so that it can be taken up again. Default: it is not kept. */
  keepSession?: boolean;
  /** A session to take up, from `resumeSession`; it is kept. */
  resumed?: ResumedSession;
  /** One sentence for the person, when the session can't be saved. */
  onStoreProblem?: (sentence: string) => void;
  /** Instructions in the place of Helve's own; an empty text for none. */
  systemPrompt?: string;
  appendSystemPrompt?: string;
}

/** A conversation with a model that can use the tools. */
export interface Agent {
  readonly session: Session;
  /** Runs one prompt to its end; the last event is the result. Prompts of one agent share its history. */
  run(prompt: string | readonly UserBlock[], options?: { signal?: AbortSignal }): AsyncIterable<AgentEvent>;
  /**
   * Replaces the history by a summary of it, now. `instructions`: what the summary must not leave out. Where it is not
   * done, as when a hook objects, nothing has changed. Rejects while a prompt runs, and when the signal aborts.
   */
  compact(instructions?: string, options?: CompactOptions): Promise<CompactionEvent | CompactionRefused>;
  /** How full the context window is, and what fills it. */
  contextUsage(): ContextUsage;
  /** Stops the run that is under way; its history stays valid, and the next prompt goes on from it. */
  interrupt(): void;
  /** Ends everything that calls have left running. */
  end(): Promise<void>;
}

export interface CompactOptions {
  signal?: AbortSignal;
  onEvent?: (happening: AgentHappening) => void;
}

export function createAgent(options: AgentOptions): Agent {
  if (!options.model) throw new TypeError('createAgent needs a model. Take one from helve/models.');
  const { editStyle, contextTokens } = options.model.facts ?? {};
  const { resumed, model: asked } = options;
  let keeper: SessionKeeper | undefined;
  const engine = createEngine({
    ...(editStyle && { editStyle }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...options,
    ...(resumed && { sessionId: resumed.id, root: resumed.root }),
    ...((resumed || options.keepSession) && { onSeen: (real, seen) => keeper?.saw(real, seen) }),
  });
  const { session } = engine;
  if (resumed) takeUp(session, resumed);
  const newStore = async (): Promise<SessionStore> => {
    const { SessionStore } = await import('./agent/store/session-store.js');
    const { dataFolder, id, root } = session;
    const prices = asked.facts?.prices;
    return new SessionStore({ dataFolder, id, root, model: asked.name, prices, onProblem: options.onStoreProblem });
  };
  if (resumed || options.keepSession) {
    keeper = keeperOf(resumed ? async () => resumed.store : newStore, session, options.onStoreProblem ?? (() => {}));
  }
  const system = systemPrompt({
    root: engine.session.root,
    platform: process.platform,
    date: new Date().toISOString().slice(0, 10),
    instructions: options.systemPrompt,
    appended: options.appendSystemPrompt,
  });
  const model = patientModel(options);
  const context = new ConversationContext({
    ...contextFrom(options.env ?? process.env),
    ...options.context,
    session,
    model,
    system,
    keeper,
  });
  const used = new UsageByModel();
  let running: AbortController | undefined;
  /** One thing at a time, since all of it is one history. */
  const begin = (signal: AbortSignal | undefined): AbortSignal => {
    if (running)
      throw new Error('This agent is already running a prompt. Wait for its result, or create another agent.');
    running = new AbortController();
    return signal ? AbortSignal.any([signal, running.signal]) : running.signal;
  };
  const finish = async (): Promise<void> => {
    await keeper?.flushed();
    running = undefined;
  };

  return {
    session: engine.session,
    async *run(prompt, { signal } = {}) {
      const content: readonly UserBlock[] = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
      if (isBlank(content))
        throw new TypeError('The prompt is empty, so there is nothing to send. Give it some words.');
      const running = begin(signal);
      try {
        await engine.servers.beforePrompt({ signal: running, isResumed: resumed !== undefined });
        const { resources, tools } = engine.session;
        const mentioned = await mentionedResources(content, { resources, servers: tools.servers, signal: running });
        const events = runLoop({
          session: engine.session,
          model,
          system,
          context,
          used,
          environment: engine.environment,
          refresh: engine.refresh,
          keeper,
          prompt: [...content, ...mentioned],
          maxTurns: options.maxTurns,
          signal: running,
        });
        const watched = options.observers ? observedEvents(events, options.observers) : events;
        yield* withServers(watched, engine.servers);
      } finally {
        await finish();
      }
    },
    async compact(instructions, { signal, onEvent = () => {} } = {}) {
      const running = begin(signal);
      try {
        const emit = (happening: AgentHappening): void => {
          keeper?.take(happening);
          if (happening.type === 'compaction') {
            used.add(model, happening.usage);
            engine.servers.announceAgain();
          }
          onEvent(happening);
        };
        await engine.refresh(emit);
        const { hooks } = engine.environment(emit);
        return await context.compact({ hooks, emit, signal: running }, instructions);
      } finally {
        await finish();
      }
    },
    contextUsage: () => context.usage(),
    interrupt: () => running?.abort(new Error('Interrupted.')),
    async end() {
      await engine.end();
      await keeper?.close();
    },
  };
}

/** Connects to servers once the first request is on its way, and tells of them again where that was forgotten. */
async function* withServers(
  events: AsyncIterable<AgentEvent>,
  servers: EngineServers,
): AsyncGenerator<AgentEvent, void, void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const event of events) {
      if (event.type === 'turn_start') {
        servers.requested();
        timer ??= setTimeout(() => void servers.start(), AFTER_REQUEST_MS);
      }
      if (event.type === 'compaction' && event.summarisedMessages > 0) servers.announceAgain();
      yield event;
    }
  } finally {
    clearTimeout(timer);
    servers.rest();
  }
}

/** Puts a session back to where it was. */
function takeUp(session: Session, { restored, reminders }: ResumedSession): void {
  for (const message of restored.messages) session.transcript.append(message);
  for (const id of restored.callIds) session.claimCallId(id);
  session.shownFiles.restore(restored);
  if (restored.cwd !== undefined) session.changeDirectory(restored.cwd);
  session.mode = restored.mode;
  for (const reminder of reminders) session.remind(reminder);
}

function patientModel(options: AgentOptions): Model {
  const { model, fallbackModels = [], retries = {}, env = process.env, observers } = options;
  if (retries === false) return model; // who makes the retries shows the requests, each of them
  const watched = (each: Model): Model => (observers ? observedModel(each, observers) : each);
  return withRetries(watched(model), { ...retriesFrom(env), ...retries, fallbacks: fallbackModels.map(watched) });
}

const isBlank = (content: readonly UserBlock[]): boolean =>
  content.every((block) => block.type === 'text' && block.text.trim() === '');
