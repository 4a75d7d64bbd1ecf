// Sends the engine's questions to the host, and interprets its answers.
import { isDeepStrictEqual } from 'node:util';
import { askInEachForm } from '../../calls/ask-in-each-form.js';
import { demandClearYes } from '../../calls/clear-yes.js';
import type { AskPermission, PermissionAnswer, PermissionMode, PermissionQuestion } from '../../contract/permission.js';
import { type AskUser, answerFrom } from '../../contract/question.js';
import { abortable } from '../../platform/abortable.js';
import { randomId } from '../../platform/crypto.js';
import { isObject } from '../../platform/is-object.js';
import { visible } from '../../platform/text/visible.js';
import { QUESTION_TOOL } from '../../tools/roles.js';
import type { ControlChannel, Line } from './control-channel.js';
import { type RememberIn, suggestedUpdates, wantedUpdates } from './permission-updates.js';

export interface PermissionBridgeOptions {
  channel: ControlChannel;
  /** Resolves once the host has received everything that led to the question. */
  caughtUp(): Promise<void>;
  /** Ends the current run. */
  interrupt(): void;
  /** Returns an error message if the mode is not available. */
  setMode(mode: PermissionMode): string | undefined;
  notice(text: string): void;
  saveRule(rule: string, place: Exclude<RememberIn, 'session'>): Promise<void>;
}

export class PermissionBridge {
  readonly #options: PermissionBridgeOptions;
  /** The scopes in which to save rules. */
  readonly #places = new Map<string, Exclude<RememberIn, 'session'>>();

  constructor(options: PermissionBridgeOptions) {
    this.#options = options;
  }

  readonly askPermission: AskPermission = askInEachForm(async (question, signal) => {
    const reply = await this.#ask(requestFor(question), signal);
    if (!isObject(reply)) throw neither();
    if (reply['behavior'] === 'deny') return this.#denied(reply);
    if (reply['behavior'] !== 'allow') throw neither();
    demandClearYes(reply, question.input, 'the host');
    return this.#allowed(reply, question);
  });

  /** Sent as a tool call, which is how hosts receive questions with choices. */
  readonly askUser: AskUser = async (questions, signal, about) => {
    const id = about?.callId ?? `question_${randomId()}`;
    const request = { subtype: 'can_use_tool', tool_name: QUESTION_TOOL, input: { questions }, tool_use_id: id };
    const reply = await this.#ask(request, signal);
    if (!isObject(reply)) throw neither();
    const { message, updatedInput } = reply;
    const given = isObject(updatedInput) ? updatedInput['answers'] : undefined;
    if (reply['behavior'] === 'allow' && isObject(given)) {
      return questions.map((question) => answerFrom(question, given[question.question]));
    }
    const text = typeof message === 'string' ? message : undefined;
    return questions.map(() => ({ chosen: [], ...(text !== undefined && { text }) }));
  };

  /** Saves a rule in the file that the host named with it. */
  readonly saveRule = async (rule: string): Promise<void> => {
    const place = this.#places.get(rule);
    if (place) await this.#options.saveRule(rule, place);
  };

  async #ask(request: Line & { subtype: string }, signal: AbortSignal): Promise<unknown> {
    await abortable(() => this.#options.caughtUp(), signal);
    return await this.#options.channel.ask(request, signal);
  }

  #denied({ message, interrupt }: Line): PermissionAnswer {
    // After the refusal has become the call's result.
    if (interrupt === true) setImmediate(() => this.#options.interrupt());
    return { behavior: 'deny', ...(typeof message === 'string' && message !== '' && { reason: message }) };
  }

  #allowed({ updatedInput, updatedPermissions }: Line, { input, suggestions }: PermissionQuestion): PermissionAnswer {
    const { rules, mode, problems } = wantedUpdates(updatedPermissions, suggestions);
    const refused = mode && this.#options.setMode(mode);
    for (const problem of [...problems, ...(refused ? [refused] : [])]) this.#options.notice(problem);
    const names = [...rules.keys()];
    const kept = names.filter((rule) => rules.get(rule) !== 'session');
    for (const [rule, place] of rules) {
      if (place === 'session') this.#places.delete(rule);
      else this.#places.set(rule, place);
    }
    // Many hosts send the input back unchanged, after a round trip through JSON.
    const sent: unknown = JSON.parse(JSON.stringify(input ?? null));
    const isRewritten = isObject(updatedInput) && !isDeepStrictEqual(updatedInput, sent);
    return {
      behavior: 'allow',
      ...(names.length > 0 && { remember: { rules: names, scope: kept.length > 0 ? 'always' : 'session' } }),
      ...(isRewritten && { updatedInput }),
    };
  }
}

const neither = (): Error => new Error('the host answered with neither allow nor deny');

function requestFor(question: PermissionQuestion) {
  const { tool, input, callId, suggestions, reason, effects, risks, decision, display, confinement, agent } = question;
  const asking = decision.trail?.filter(({ decided, behavior }) => decided && behavior === 'ask') ?? [];
  const blocked = asking.map(({ effect }) => effects[effect ?? -1]).find((effect) => effect?.kind === 'file');
  return {
    subtype: 'can_use_tool',
    tool_name: tool,
    input,
    tool_use_id: callId,
    permission_suggestions: suggestedUpdates(suggestions),
    decision_reason: visible(reason),
    risks: risks.map(({ kind, level, undoable, text }) => ({ kind, level, undoable, text: visible(text) })),
    ...(confinement !== undefined && { confinement: visible(confinement) }),
    ...(agent && { agent_id: agent.id, agent_type: agent.type }),
    ...(blocked?.kind === 'file' && { blocked_path: blocked.path }),
    ...(display.title !== '' && { title: visible(display.title) }),
  };
}
