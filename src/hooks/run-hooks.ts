// Runs the hooks of one event: matching hooks start together, and their answers are merged in configuration order. The
// code that runs a hook is loaded with the first one that runs.
import type { Effect } from '../contract/effect.js';
import type { HookEvent, HookPayloads, Hooks } from '../contract/hook.js';
import type { HookCallbacks, HookGroup } from '../contract/options.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { messageOf } from '../platform/message-of.js';
import { cutMiddle } from '../platform/text/truncate.js';
import { fullyVisible } from '../platform/text/visible.js';
import { toolInput } from './changed-input.js';
import { untrustedNotices } from './describe-hook.js';
import { isAboutCall, matchedNames } from './match-hook.js';
import { type HookReply, mergeAnswers, stricter } from './merge-answers.js';
import { refusalByFailure } from './objection.js';
import type { ReadAnswer } from './read-answer.js';
import { fromCallbacks, fromSettings, type HookSurroundings, type ReadyHook, type TimedAnswer } from './ready-hook.js';
import type { ConfiguredHook } from './schema.js';

const MAX_TEXT = 10_000; // characters of one hook's text for the model or the person
const MAX_REPORT = 1_000;

export interface HooksOptions extends HookSurroundings {
  /** Hooks from settings, in order of precedence. */
  configured?: readonly ConfiguredHook[];
  /** Hooks inside the program; they come after those from settings. */
  callbacks?: HookCallbacks;
  /** Whether a permission rule matches a call, for hooks with `if`. If absent, such hooks run for every call. */
  matchesRule?: (rule: string, request: RuleRequest) => boolean;
  /** The traits of the tools, for matchers that use another name of one. */
  tools: ToolTable;
  /** The existing tools, to report matchers that can match none. If absent, matchers are not checked. */
  toolNames?: () => readonly string[];
  sessionId: string;
  transcriptPath: string;
  /** Saves a text that is too long to be sent, and returns the file. */
  saveText?: (name: string, text: string) => Promise<string>;
  /** Called before any hook runs. */
  beforeRun?: () => void;
  /** Tells the model what a hook with `asyncRewake` objects to, once it has ended. */
  rewake?: (text: string) => void;
}

export interface RuleRequest {
  tool: string;
  input: unknown;
  effects: readonly Effect[];
}

export function createHooks(options: HooksOptions): Hooks {
  const { configured = [], callbacks = {} } = options;
  const ready = readyHooks(configured, callbacks, options);
  const notices = untrustedNotices(configured);
  const session = new AbortController();
  const background = new Set<Promise<void>>();
  const late: HookReply[] = [];

  const followInBackground = (hook: ReadyHook, running: Promise<HookReply>): void => {
    const work = running.then(
      (reply) => {
        const objection = reply.block?.reason ?? (reply.behavior === 'deny' ? reply.reason : undefined);
        if (hook.rewakes && objection !== undefined) options.rewake?.(objection);
        late.push(withoutDecision(reply));
      },
      () => {}, // the session has ended
    );
    background.add(work);
    void work.finally(() => background.delete(work));
  };

  /**
   * Until the hook moves itself to the background, which it may do with an answer: from then on it ends with the session
   * and decides nothing.
   */
  const runAwaited = async (hook: ReadyHook, event: HookEvent, input: string, signal: AbortSignal) => {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const detached = Promise.withResolvers<ReadAnswer>();
    const detach = (answer: ReadAnswer): void => {
      signal.removeEventListener('abort', onAbort);
      session.signal.addEventListener('abort', () => stop.abort(session.signal.reason), { once: true });
      detached.resolve(answer);
    };
    const running = runOne(hook, event, input, stop.signal, options, detach);
    try {
      const first = await Promise.race([running, detached.promise]);
      if ('name' in first) return first;
      followInBackground(hook, running);
      return await replyOf(hook, event, first, options);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  };

  return {
    has: (event) => ready.has(event),
    async run(event, payload, { signal, effects = [], onWait }) {
      signal.throwIfAborted();
      const { hooks, reports } = select(ready.get(event) ?? [], event, payload, effects, options);
      const input = hooks.length > 0 ? inputText(event, payload, options) : '{}';
      const awaited = hooks.filter(({ inBackground }) => !inBackground);
      if (hooks.length > 0) options.beforeRun?.();
      if (awaited.length > 0) onWait?.();
      for (const hook of hooks) {
        if (hook.inBackground) followInBackground(hook, runOne(hook, event, input, session.signal, options));
      }
      const runs = await Promise.allSettled(awaited.map((hook) => runAwaited(hook, event, input, signal)));
      signal.throwIfAborted(); // all of them have ended
      const replies = runs.map((run) => {
        if (run.status === 'rejected') throw run.reason; // an internal error: only an abort may reject
        return run.value;
      });
      const outcome = mergeAnswers([...late.splice(0), ...replies], toolInput(input));
      return { ...outcome, reports: [...notices.splice(0), ...reports, ...outcome.reports] };
    },
    notices: () => notices.splice(0),
    async end() {
      session.abort();
      await Promise.all(background);
    },
  };
}

function readyHooks(
  configured: readonly ConfiguredHook[],
  callbacks: HookCallbacks,
  options: HooksOptions,
): ReadonlyMap<HookEvent, readonly ReadyHook[]> {
  const fromFiles = configured
    .filter(({ trusted }) => trusted)
    .map((one) => ({ event: one.event, hook: fromSettings(one, options) }));
  const fromProgram = Object.entries(callbacks).flatMap(([name, groups]) => {
    const event = name as HookEvent; // the keys of this type are events; other keys are never looked up
    const called = groups as readonly HookGroup[]; // each is called with the input of the event that it is under
    return called.flatMap((group) => fromCallbacks(event, group)).map((hook) => ({ event, hook }));
  });
  const byEvent = Map.groupBy([...fromFiles, ...fromProgram], ({ event }) => event);
  return new Map([...byEvent].map(([event, entries]) => [event, entries.map(({ hook }) => hook)]));
}

/** Answers from the background come too late to decide anything. */
function withoutDecision({ name, additionalContext, message, reports }: HookReply): HookReply {
  return {
    name,
    ...(additionalContext !== undefined && { additionalContext }),
    ...(message !== undefined && { message }),
    reports,
  };
}

/** The hooks that match the event, each once, in configuration order. */
function select<Event extends HookEvent>(
  hooks: readonly ReadyHook[],
  event: Event,
  payload: HookPayloads[Event],
  effects: readonly Effect[],
  { matchesRule, tools }: HooksOptions,
): { hooks: readonly ReadyHook[]; reports: readonly string[] } {
  const reports: string[] = [];
  const concernsCall = (hook: ReadyHook, rule: string): boolean => {
    if (!isAboutCall(event) || !('tool_name' in payload)) return false;
    try {
      return matchesRule?.(rule, { tool: payload.tool_name, input: payload.tool_input, effects }) ?? true;
    } catch (error) {
      // A guard should rather run once too often than not at all.
      const why = `its rule "${rule}" can't be judged (${messageOf(error)}), so it runs for every call`;
      reports.push(reportOf(hook, event, `needs a correction: ${why}.`));
      return true;
    }
  };

  const names = matchedNames(event, payload, tools);
  const chosen = new Map<unknown, ReadyHook>();
  for (const hook of hooks) {
    if (names && !names.some(hook.matcher)) continue;
    if (hook.rule !== undefined && !concernsCall(hook, hook.rule)) continue;
    const same = chosen.get(hook.key);
    chosen.set(hook.key, {
      ...(same ?? hook),
      blocksOnFailure: hook.blocksOnFailure || same?.blocksOnFailure === true,
      inBackground: hook.inBackground && same?.inBackground !== false,
    });
  }
  return { hooks: [...chosen.values()], reports };
}

function inputText<Event extends HookEvent>(
  event: Event,
  payload: HookPayloads[Event],
  { sessionId, transcriptPath, situation }: HooksOptions,
): string {
  const { cwd, mode } = situation();
  const common = { session_id: sessionId, transcript_path: transcriptPath, cwd, permission_mode: mode };
  const named = { ...common, hook_event_name: event };
  try {
    return JSON.stringify({ ...named, ...payload }, plain);
  } catch {
    // Data of the embedding program's tools may have cycles.
    const fields = Object.entries(payload).map(([field, value]) => [field, serializable(value)]);
    return JSON.stringify({ ...named, ...Object.fromEntries(fields) });
  }
}

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

function serializable(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value, plain) ?? 'null');
  } catch {
    return String(value);
  }
}

/** Rejects only when the signal aborts. */
async function runOne(
  hook: ReadyHook,
  event: HookEvent,
  input: string,
  signal: AbortSignal,
  options: HooksOptions,
  detach?: (answer: ReadAnswer) => void,
): Promise<HookReply> {
  const endWriting = await options.announceWriter?.(`the hook "${hook.name}"`);
  const answer = await hook
    .run(input, signal, detach)
    .catch((error: unknown): TimedAnswer => {
      signal.throwIfAborted();
      return { failures: [`it could not be run (${messageOf(error)})`], remarks: [] };
    })
    .finally(endWriting);
  return await replyOf(hook, event, answer, options);
}

/** The meaning of a hook's answer, with its problems. */
async function replyOf(
  hook: ReadyHook,
  event: HookEvent,
  answer: TimedAnswer,
  options: HooksOptions,
): Promise<HookReply> {
  const { failures, remarks, refusesByTimeout, behavior, reason, block, message, additionalContext, ...rest } = answer;
  const blocks = failures.length > 0 && (hook.blocksOnFailure || refusesByTimeout === true);
  const refusal = blocks ? refusalByFailure(event, failures.join('; ')) : {};
  const strictest = stricter(behavior, refusal.behavior);
  const why = strictest === behavior ? reason : refusal.reason;
  const objection = block ?? refusal.block;
  const refused = behavior === 'deny' || block ? 'To be safe, this counts as a refusal' : undefined;
  const consequence = blocks
    ? 'Its failures block'
    : (refused ?? 'Nothing was blocked by that; "onFailure": "block" would change it');
  return {
    name: hook.name,
    ...rest,
    ...(strictest && { behavior: strictest }),
    ...(why !== undefined && { reason: cutMiddle(why, MAX_TEXT) }),
    ...(objection && { block: { reason: cutMiddle(objection.reason, MAX_TEXT) } }),
    ...(message !== undefined && { message: cutMiddle(message, MAX_TEXT) }),
    ...(additionalContext !== undefined && { additionalContext: await fitText(additionalContext, event, options) }),
    reports: [
      ...failures.map((failure) => reportOf(hook, event, `failed: ${failure}. ${consequence}.`)),
      ...remarks.map((remark) => reportOf(hook, event, `needs a correction: ${remark}.`)),
    ],
  };
}

const reportOf = ({ name, source }: ReadyHook, event: HookEvent, what: string): string =>
  fullyVisible(cutMiddle(`The hook "${name}" (${event}, from ${source}) ${what}`, MAX_REPORT));

async function fitText(text: string, event: HookEvent, { saveText }: HooksOptions): Promise<string> {
  if (text.length <= MAX_TEXT) return text;
  const file = await saveText?.(`hook-${event}.txt`, text).catch(() => undefined); // then the rest is said to be missing
  return cutMiddle(text, MAX_TEXT) + (file === undefined ? '' : `\n[The whole text is in ${file}]`);
}
