import type { AskPermission } from '../contract/permission.js';
import type { AskUser } from '../contract/question.js';
import { describeItem, type TrustReport } from '../settings/trust.js';
import type { DialogQueue } from './dialogs/dialog-queue.js';
import { PermissionDialog } from './dialogs/permission-dialog.js';
import { PlanDialog, planOf } from './dialogs/plan-dialog.js';
import { QuestionDialog } from './dialogs/question-dialog.js';
import { TrustDialog } from './dialogs/trust-dialog.js';
import type { Notify } from './notify.js';
import type { Theme } from './theme.js';

export interface QuestionsOptions {
  theme: Theme;
  dialogs: DialogQueue;
  notify: Notify;
  /** A person is asked about a call. */
  onAsk(callId: string): void;
}

/** Puts what the engine asks to the person, one question after the other. */
export class Questions {
  readonly #options: QuestionsOptions;
  /** Calls that the person has made themselves: they need not be asked about those. */
  readonly #own = new Set<string>();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Until what is returned is called. */
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
    return await dialogs.ask(
      (answer) =>
        plan === undefined
          ? new PermissionDialog(theme, question, answer)
          : new PlanDialog(theme, { plan, reason: question.reason }, answer),
      signal,
    );
  };

  readonly askUser: AskUser = async (questions, signal) => {
    const { theme, dialogs, notify } = this.#options;
    notify(questions[0]?.question ?? 'There is a question for you');
    return await dialogs.ask((answer) => new QuestionDialog(theme, questions, answer), signal);
  };

  /** Whether the person trusts the folder with what it brings. */
  async askForTrust({ folder, state, pending }: TrustReport, signal: AbortSignal): Promise<boolean> {
    const { theme, dialogs } = this.#options;
    const items = pending.map((item) => ({ text: describeItem(item), change: item.change }));
    const facts = { folder, items, state: state === 'changed' ? ('changed' as const) : ('untrusted' as const) };
    return await dialogs.ask<boolean>((answer) => new TrustDialog(theme, facts, answer), signal);
  }
}
