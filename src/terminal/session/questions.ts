import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../contract/permission.js';
import type { AskUser } from '../../contract/question.js';
import type { TrustReport } from '../../settings/trust.js';
import { ChoiceDialog, type ChoiceDialogFacts } from '../dialogs/choice-dialog.js';
import type { DialogQueue } from '../dialogs/dialog-queue.js';
import { PermissionDialog } from '../dialogs/permission-dialog.js';
import { type PlanAnswer, PlanDialog, planOf, withPlan } from '../dialogs/plan-dialog.js';
import { QuestionDialog } from '../dialogs/question-dialog.js';
import { TextDialog } from '../dialogs/text-dialog.js';
import { TrustDialog } from '../dialogs/trust-dialog.js';
import type { Notify } from '../screen/notify.js';
import type { Theme } from '../screen/theme.js';

export interface QuestionsOptions {
  theme: Theme;
  dialogs: DialogQueue;
  notify: Notify;
  /** The user is being asked about a call. */
  onAsk(callId: string): void;
  /** Opens a text in the user's editor. */
  editText(text: string): Promise<{ text: string } | { problem: string }>;
  draw(): void;
}

/** Asks the engine's questions, one after the other. */
export class Questions {
  readonly #options: QuestionsOptions;
  /** Calls made by the user, which need no permission question. */
  readonly #own = new Set<string>();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Applies until the returned function is called. */
  ownCall(callId: string): () => void {
    this.#own.add(callId);
    return () => void this.#own.delete(callId);
  }

  readonly askPermission: AskPermission = async (question, signal) => {
    if (this.#own.has(question.callId)) return { behavior: 'allow' };
    const { theme, dialogs, notify, onAsk } = this.#options;
    onAsk(question.callId);
    notify(`${question.tool} needs your permission`);
    const plan = planOf(question);
    if (plan !== undefined) return await this.#askAboutPlan(plan, question, signal);
    return await dialogs.ask((answer) => new PermissionDialog(theme, question, answer), signal);
  };

  async #askAboutPlan(plan: string, question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const { theme, dialogs, editText, draw } = this.#options;
    const canChange = withPlan(question, plan, plan) !== undefined;
    const facts = { plan, reason: question.reason, edit: canChange ? editText : undefined, onChange: draw };
    const answer = await dialogs.ask<PlanAnswer>((done) => new PlanDialog(theme, facts, done), signal);
    if (answer.behavior === 'deny' || answer.plan === undefined) return answer;
    const { plan: changed, ...allowed } = answer;
    const updatedInput = withPlan(question, plan, changed);
    return { ...allowed, ...(updatedInput && { updatedInput }) };
  }

  readonly askUser: AskUser = async (questions, signal) => {
    const { theme, dialogs, notify } = this.#options;
    notify(questions[0]?.question ?? 'There is a question for you');
    return await dialogs.ask((answer) => new QuestionDialog(theme, questions, answer), signal);
  };

  /** One item of a list; undefined if the user cancels. */
  async choose(facts: ChoiceDialogFacts, signal: AbortSignal): Promise<string | undefined> {
    const { theme, dialogs } = this.#options;
    return await dialogs.ask<string | undefined>((answer) => new ChoiceDialog(theme, facts, answer), signal);
  }

  /** A line of text; undefined if the user cancels. */
  async askText(facts: { title: string; isSecret: boolean }, signal: AbortSignal): Promise<string | undefined> {
    const { theme, dialogs } = this.#options;
    return await dialogs.ask<string | undefined>((answer) => new TextDialog(theme, facts, answer), signal);
  }

  /** Whether the user trusts the folder's settings. */
  async askForTrust({ folder, state, pending }: TrustReport, signal: AbortSignal): Promise<boolean> {
    const { theme, dialogs } = this.#options;
    const { trustWords } = await import('../dialogs/trust-words.js');
    const items = pending.map((item) => ({ text: trustWords(item), change: item.change }));
    const facts = { folder, items, state: state === 'changed' ? ('changed' as const) : ('untrusted' as const) };
    return await dialogs.ask<boolean>((answer) => new TrustDialog(theme, facts, answer), signal);
  }
}
