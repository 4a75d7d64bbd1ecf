import { planOf } from '../../agent/planning/plan-question.js';
import type { AskPermission, PermissionAnswer, PermissionMode, PermissionQuestion } from '../../contract/permission.js';
import type { Answer, AskUser } from '../../contract/question.js';
import { moreOfPlan } from '../../display/plan-words.js';
import type { Places } from '../../permissions/risks/place-words.js';
import type { TrustReport } from '../../settings/trust.js';
import { ChoiceDialog, type ChoiceDialogFacts } from '../dialogs/choice-dialog.js';
import type { DialogQueue } from '../dialogs/dialog-queue.js';
import type { PlanAnswer } from '../dialogs/plan-dialog.js';
import { QuestionDialog } from '../dialogs/question-dialog.js';
import { TextDialog } from '../dialogs/text-dialog.js';
import { TrustDialog } from '../dialogs/trust-dialog.js';
import type { Notify } from '../screen/notify.js';
import type { Theme } from '../screen/theme.js';
import type { FolderQuestions } from './open-settings.js';

export interface QuestionsOptions {
  theme: Theme;
  dialogs: DialogQueue;
  notify: Notify;
  /** The user is being asked about a call. */
  onAsk(callId: string): void;
  /** The user is being asked by a call that runs. */
  onQuestion(callId: string): void;
  /** Opens a text in the user's editor. */
  editText(text: string): Promise<{ text: string } | { problem: string }>;
  places: Places;
  /** The height of the window. */
  rows(): number;
  /** The mode that a plan's approval returns to. */
  modeAfterPlan(): PermissionMode;
  /** Stops the turn that a question belongs to. */
  stop(): void;
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
    const { theme, dialogs, notify, onAsk, places, rows } = this.#options;
    onAsk(question.callId);
    notify(`${question.tool} needs your permission`);
    // Loaded with the first question: the first frame does not need them.
    const { PermissionDialog } = await import('../dialogs/permission-dialog.js');
    const plan = planOf(question);
    if (plan !== undefined) return await this.#askAboutPlan(plan, question, signal);
    const answer = await dialogs.ask<PermissionAnswer | 'stop'>(
      (done) => new PermissionDialog(theme, { question, places, rows }, done),
      signal,
    );
    return answer === 'stop' ? this.#stopped(signal) : answer;
  };

  /** Ends the turn. A call that belongs to none, such as one made by hand, is refused. */
  #stopped(signal: AbortSignal): PermissionAnswer {
    this.#options.stop();
    signal.throwIfAborted();
    return { behavior: 'deny' };
  }

  async #askAboutPlan(plan: string, question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const { theme, dialogs, editText, draw, modeAfterPlan, rows } = this.#options;
    const { PlanDialog, withPlan } = await import('../dialogs/plan-dialog.js');
    const canChange = withPlan(question, plan, plan) !== undefined;
    const facts = {
      plan,
      reason: moreOfPlan(question),
      modeAfter: modeAfterPlan(),
      rows,
      edit: canChange ? editText : undefined,
      onChange: draw,
    };
    const answer = await dialogs.ask<PlanAnswer | 'stop'>((done) => new PlanDialog(theme, facts, done), signal);
    if (answer === 'stop') return this.#stopped(signal);
    if (answer.behavior === 'deny' || answer.plan === undefined) return answer;
    const { plan: changed, ...allowed } = answer;
    const updatedInput = withPlan(question, plan, changed);
    return { ...allowed, ...(updatedInput && { updatedInput }) };
  }

  readonly askUser: AskUser = async (questions, signal, about) => {
    const { theme, dialogs, notify, onQuestion, stop, rows } = this.#options;
    if (about) onQuestion(about.callId);
    notify(questions[0]?.question ?? 'There is a question for you');
    const facts = { questions, rows };
    const answer = await dialogs.ask<Answer[] | 'stop'>((done) => new QuestionDialog(theme, facts, done), signal);
    if (answer !== 'stop') return answer;
    stop();
    signal.throwIfAborted();
    return questions.map(() => ({ chosen: [] }));
  };

  /** One item of a list; undefined if the user cancels. */
  async choose(facts: ChoiceDialogFacts, signal: AbortSignal): Promise<string | undefined> {
    const { theme, dialogs, rows } = this.#options;
    const make = (answer: (value: string | undefined) => void) => new ChoiceDialog(theme, { ...facts, rows }, answer);
    return await dialogs.ask<string | undefined>(make, signal);
  }

  /** A line of text; undefined if the user cancels. */
  async askText(
    facts: { title: string; isSecret: boolean; verb?: string | undefined },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { theme, dialogs, rows } = this.#options;
    const make = (answer: (text: string | undefined) => void) => new TextDialog(theme, { ...facts, rows }, answer);
    return await dialogs.ask<string | undefined>(make, signal);
  }

  /** The questions about what a folder brings. `onAsk` is called before the first one. */
  aboutFolder(signal: AbortSignal, onAsk: FolderQuestions['onAsk']): FolderQuestions {
    const { theme, dialogs, rows } = this.#options;
    return {
      onAsk,
      askForTrust: async (report, instructions) => await this.#askForTrust(report, instructions, signal),
      choose: async (facts) => await this.choose(facts, signal),
      show: async (title, lines) => {
        const { ScrollDialog } = await import('../dialogs/scroll-dialog.js');
        const facts = { title, lines: () => lines, rows };
        await dialogs.ask<void>((close) => new ScrollDialog(theme, facts, close, { fromStart: true }), signal);
      },
    };
  }

  /** Whether the user trusts the folder's settings. */
  async #askForTrust(report: TrustReport, instructions: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { theme, dialogs, places, rows } = this.#options;
    const { trustFacts } = await import('../../display/trust-words.js');
    const facts = { ...trustFacts(report, places, instructions), rows };
    return await dialogs.ask<boolean>((answer) => new TrustDialog(theme, facts, answer), signal);
  }
}
