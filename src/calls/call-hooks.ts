// Steps 6 and 10 of the path: runs the hooks of a call before the decision, when a person would be asked, and after the
// work. Their messages to the model are collected for the result; messages to the person are emitted as events.
import { isDeepStrictEqual } from 'node:util';
import type { Effect } from '../contract/effect.js';
import type { HookEvent, HookOutcome, HookPayloads, HookRunOptions } from '../contract/hook.js';
import type { HookAnswer } from '../contract/permission.js';
import type { ToolOutcome } from '../contract/tool.js';
import { monotonicMs } from '../platform/clock.js';
import type { CallEnvironment } from './environment.js';
import type { ResolvedCall } from './resolve.js';

const MAX_CHANGES = 10; // of one input; hooks that change it more often undo each other's work

/** The hooks of one call, with their answers so far. */
export interface CallHooks {
  /**
   * Runs the hooks that see a call before it is judged, at most once. Returns the input that they want instead.
   * `onWait`: one that the call waits for is started.
   */
  before(
    call: ResolvedCall,
    effects: readonly Effect[],
    onWait: () => void,
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** The hooks that made the input that is judged next, for messages. */
  readonly changedBy: string;
  /** The answers of those hooks. */
  readonly answers: readonly HookAnswer[];
  /** Lets hooks answer in place of a person. Undefined if none did. */
  answerQuestion(call: ResolvedCall, effects: readonly Effect[]): Promise<HookOutcome | undefined>;
  /** Tells hooks that a question waits for a person. */
  notify(message: string): void;
  afterSuccess(call: ResolvedCall, outcome: ToolOutcome): Promise<HookWords>;
  afterFailure(error: string): Promise<HookWords>;
  /** Tells hooks that the call was refused. */
  afterDenial(reason: string): Promise<void>;
  words(): HookWords;
}

/** Messages of hooks to the model about a call. */
export interface HookWords {
  /** Replaces the tool's own answer. */
  instead?: { value: unknown };
  added: readonly string[];
}

export function hooksOf(callId: string, environment: CallEnvironment, signal: AbortSignal): CallHooks {
  const { hooks } = environment;
  const added: string[] = [];
  let answers: readonly HookAnswer[] = [];
  /** The tool names under which PreToolUse hooks have seen the call. `questionedAs`: the same for PermissionRequest. */
  const shownAs = new Set<string>();
  let questionedAs = new Set<string>();
  let changedBy = 'A hook';
  let changes = 0;
  let seen: ResolvedCall | undefined;
  let touched: readonly Effect[] = [];
  /** A hook has agreed to the input that it made itself, which is judged next. */
  let agreed: HookOutcome | undefined;
  const startedAt = monotonicMs();

  const run = async <Event extends HookEvent>(
    event: Event,
    payload: HookPayloads[Event],
    options: Partial<HookRunOptions> = {},
  ): Promise<HookOutcome> => {
    const outcome = await hooks.run(event, payload, { signal, ...options });
    for (const text of [...outcome.messages, ...outcome.reports]) environment.emit({ type: 'notice', text });
    if (outcome.stop) environment.emit({ type: 'stop_request', reason: outcome.stop.reason });
    return outcome;
  };
  const about = ({ tool, bound }: ResolvedCall) => ({ tool_name: tool.name, tool_input: bound.input });
  /** A call that was typed into another tool is shown to hooks of both tools, each in the form of its own tool. */
  const guarded = (call: ResolvedCall, seenAs: ReadonlySet<string>) => {
    const { sentAs } = call;
    const forms = [...(sentAs ? [{ tool_name: sentAs.tool, tool_input: sentAs.input }] : []), about(call)];
    return forms.filter(({ tool_name }) => !seenAs.has(tool_name));
  };
  /** Counts a change of the input. */
  const noteChange = ({ changedBy: names = [] }: HookOutcome): void => {
    changes += 1;
    const quoted = names.map((name) => `"${name}"`).join(', ');
    if (quoted !== '') changedBy = `${names.length === 1 ? 'The hook' : 'The hooks'} ${quoted}`;
  };
  const endless = (): HookAnswer => ({
    behavior: 'deny',
    name: changedBy,
    reason: `hooks changed its input ${MAX_CHANGES} times, each after the other`,
  });
  const withoutAllows = () => answers.filter(({ behavior }) => behavior !== 'allow');
  const words = (): HookWords => ({ added });

  return {
    get changedBy() {
      return changedBy;
    },
    get answers() {
      return answers;
    },
    async before(call, effects, onWait) {
      seen = call;
      touched = effects;
      if (!hooks.has('PreToolUse')) return undefined;
      for (const form of guarded(call, shownAs)) {
        shownAs.add(form.tool_name);
        const outcome = await run('PreToolUse', { ...form, tool_use_id: callId }, { effects, onWait });
        // Hooks that allowed the call before have seen another input.
        answers = [...(outcome.updatedInput ? withoutAllows() : answers), ...outcome.answers];
        added.push(...outcome.additionalContext);
        if (outcome.behavior === 'deny' || outcome.stop) return undefined;
        if (!outcome.updatedInput || isDeepStrictEqual(outcome.updatedInput, form.tool_input)) continue;
        noteChange(outcome);
        if (changes > MAX_CHANGES) {
          answers = [...answers, endless()];
          return undefined;
        }
        // Hooks on the other form have not seen the changed call.
        shownAs.clear();
        shownAs.add(form.tool_name);
        return outcome.updatedInput;
      }
      return undefined;
    },
    async answerQuestion(call, effects) {
      let answered = agreed;
      agreed = undefined;
      if (!hooks.has('PermissionRequest')) return answered;
      const forms = guarded(call, questionedAs);
      questionedAs = answered ? questionedAs : new Set();
      for (const form of forms) {
        const outcome = await run('PermissionRequest', form, { effects });
        questionedAs.add(form.tool_name);
        if (outcome.behavior === 'deny' || outcome.stop) return outcome;
        if (outcome.behavior !== 'allow') continue;
        answered = outcome;
        if (!outcome.updatedInput) continue;
        noteChange(outcome);
        if (changes > MAX_CHANGES) return { ...outcome, behavior: 'deny', answers: [endless()] };
        questionedAs = new Set([form.tool_name]);
        const { updatedInput: _, ...yes } = outcome;
        agreed = yes;
        answers = withoutAllows();
        return outcome;
      }
      questionedAs = new Set();
      return answered;
    },
    notify(message) {
      if (!hooks.has('Notification')) return;
      const payload = { message, notification_type: 'permission_prompt' };
      void run('Notification', payload).catch(() => {}); // a failure does not affect the question; an abort ends it
    },
    async afterSuccess(call, outcome) {
      if (!hooks.has('PostToolUse')) return words();
      const duration_ms = Math.round(monotonicMs() - startedAt);
      const payload = { ...about(call), tool_use_id: callId, tool_response: responseOf(outcome), duration_ms };
      const said = await run('PostToolUse', payload, { effects: touched });
      added.push(...(said.block ? [said.block.reason] : []), ...said.additionalContext);
      return { ...(said.updatedOutput && { instead: said.updatedOutput }), added };
    },
    async afterFailure(error) {
      if (!seen || !hooks.has('PostToolUseFailure')) return words();
      const duration_ms = Math.round(monotonicMs() - startedAt);
      const payload = { ...about(seen), tool_use_id: callId, error, is_interrupt: signal.aborted, duration_ms };
      // These hooks run for an interrupted call too, so they can't use the signal that ended it.
      const outcome = await run('PostToolUseFailure', payload, {
        signal: new AbortController().signal,
        effects: touched,
      });
      added.push(...(outcome.block ? [outcome.block.reason] : []), ...outcome.additionalContext);
      return words();
    },
    async afterDenial(reason) {
      if (!seen || !hooks.has('PermissionDenied')) return;
      const payload = { ...about(seen), tool_use_id: callId, reason };
      const { signal: unending } = new AbortController(); // these hooks run even if the refusal has ended the run
      const { additionalContext } = await run('PermissionDenied', payload, { signal: unending, effects: touched });
      added.push(...additionalContext);
    },
    words,
  };
}

/** If the tool's data for hooks throws, the call still counts as successful. */
function responseOf({ data, forHooks }: ToolOutcome): unknown {
  try {
    return forHooks?.() ?? data;
  } catch {
    return data;
  }
}
