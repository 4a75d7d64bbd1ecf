import type { HookEvent, HookOutcome, HookPayloads, Hooks } from '../../contract/hook.js';
import type { UserBlock } from '../../contract/message.js';
import { isMcpName } from '../../platform/text/mcp-names.js';
import { reminder } from '../../platform/text/reminder.js';
import type { Session } from '../session.js';
import type { RunMoment, SessionComponent } from '../session-component.js';

const MAX_SENT_BACK = 8; // in a row: a hook that always objects must not keep the model working forever

/** Runs hooks at the start of the conversation, at each prompt, and when the model wants to end. */
export interface ConversationHooks extends SessionComponent {
  /** Why a command is not used; undefined if no hook objects. */
  onCommand(
    called: { name: string; args: string },
    prompt: readonly UserBlock[],
    run: RunMoment,
  ): Promise<string | undefined>;
}

export interface ConversationHooksOptions {
  hooks: Hooks;
  session: Session;
  /** The name of the model. */
  model?: string;
}

export function conversationHooks({ hooks, session, model }: ConversationHooksOptions): ConversationHooks {
  let sentBack = 0;
  const run = async <Event extends HookEvent>(
    event: Event,
    payload: HookPayloads[Event],
    { emit, signal }: RunMoment,
  ): Promise<HookOutcome> => {
    const outcome = await hooks.run(event, payload, { signal });
    for (const text of [...outcome.messages, ...outcome.reports]) emit({ type: 'notice', text });
    return outcome;
  };

  return {
    name: 'conversation hooks',
    async prepare() {
      sentBack = 0;
    },
    async beforePrompt(prompt, moment) {
      for (const text of hooks.notices()) moment.emit({ type: 'notice', text });
      const outcomes: HookOutcome[] = [];
      const begins = async <Event extends 'Setup' | 'SessionStart'>(event: Event, payload: HookPayloads[Event]) => {
        if (!hooks.has(event)) return;
        const outcome = await run(event, payload, moment);
        for (const text of outcome.additionalContext) session.remind(text); // with the first prompt that is sent
        outcomes.push({ ...outcome, additionalContext: [] });
      };
      if (session.startsNow()) {
        const { setup: trigger, source } = session.beginning;
        if (trigger) await begins('Setup', { trigger });
        await begins('SessionStart', { source, ...(model !== undefined && { model }) });
      }
      if (hooks.has('UserPromptSubmit')) {
        outcomes.push(await run('UserPromptSubmit', { prompt: textOf(prompt) }, moment));
      }
      const refused = outcomes
        .map(({ stop, block }) => stop?.reason ?? block?.reason)
        .find((reason) => reason !== undefined);
      const added = outcomes.flatMap(({ additionalContext }) => additionalContext);
      return {
        add: added.map((text) => ({ type: 'text', text: reminder(text) })),
        ...(refused !== undefined && { refuse: `A hook stopped the prompt: ${refused}` }),
      };
    },
    async onCommand({ name, args }, prompt, moment) {
      if (!hooks.has('UserPromptExpansion')) return undefined;
      const expansion_type = isMcpName(name) ? 'mcp_prompt' : 'slash_command';
      const payload = { expansion_type, command_name: name, command_args: args, prompt: textOf(prompt) } as const;
      const { stop, block, additionalContext } = await run('UserPromptExpansion', payload, moment);
      for (const text of additionalContext) session.remind(text);
      const reason = stop?.reason ?? block?.reason;
      return reason === undefined ? undefined : `A hook stopped the command /${name}: ${reason}`;
    },
    async afterTurn({ message, sent, goesOn }, moment) {
      if (!goesOn || !message || sent.length === 0 || !hooks.has('PostToolBatch')) return undefined;
      const calls = message.content.filter((block) => block.type === 'tool_use');
      const tool_calls = calls.map(({ id, name, input }) => ({
        tool_name: name,
        tool_input: input,
        tool_use_id: id,
        tool_response: sent.find(({ tool_use_id }) => tool_use_id === id)?.content,
      }));
      const outcome = await run('PostToolBatch', { tool_calls }, moment).catch((error: unknown) => {
        if (!moment.signal.aborted) throw error;
        return undefined; // the next turn handles the interrupt
      });
      for (const text of outcome?.additionalContext ?? []) session.remind(text);
      const reason = outcome?.stop?.reason ?? outcome?.block?.reason;
      return reason === undefined ? undefined : `A hook ended the run: ${reason}`;
    },
    async onFailed(outcome, text, moment) {
      if (!hooks.has('StopFailure')) return;
      await run('StopFailure', { error: outcome, error_details: text }, moment).catch(() => undefined); // the run has already ended
    },
    async beforeEnd(lastText, moment) {
      if (!hooks.has('Stop') || sentBack >= MAX_SENT_BACK) return undefined;
      const outcome = await run('Stop', { stop_hook_active: sentBack > 0, last_assistant_message: lastText }, moment);
      const words = [...(outcome.block ? [outcome.block.reason] : []), ...outcome.additionalContext];
      if (outcome.stop) moment.emit({ type: 'notice', text: `A hook ended the work: ${outcome.stop.reason}` });
      if (outcome.stop || words.length === 0) return undefined;
      sentBack += 1;
      return words.join('\n');
    },
  };
}

const textOf = (prompt: readonly UserBlock[]): string =>
  prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
