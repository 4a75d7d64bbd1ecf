// Questions as lines with numbered answers.
import { planOf } from '../../agent/planning/plan-question.js';
import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../contract/permission.js';
import type { AskUser, Question } from '../../contract/question.js';
import { moreOfPlan, PLAN_QUESTION, PLAN_REFUSAL_PROMPT, planChoices } from '../../display/plan-words.js';
import {
  type AnswerChoice,
  answerChoices,
  effectWords,
  headline,
  REFUSAL_PROMPT,
  risksBelow,
  undoWords,
  whyItAsks,
} from '../../display/question-words.js';
import { instructionsLine, itemWords, trustFacts, trustQuestion } from '../../display/trust-words.js';
import type { Places } from '../../permissions/risks/place-words.js';
import { visible } from '../../platform/text/visible.js';
import type { TrustReport } from '../../settings/trust.js';
import type { Choice, ShownChange } from '../contract.js';
import type { PlainInput } from './plain-input.js';
import type { PlainLines } from './plain-lines.js';

export class PlainQuestions {
  readonly #lines: PlainLines;
  readonly #input: PlainInput;
  readonly #places: Places;
  readonly #whenDrawn: () => Promise<void>;
  /** Calls made by the user, which need no permission question. */
  readonly #own = new Set<string>();

  /** `whenDrawn` resolves once what was said before the question has been written. */
  constructor(lines: PlainLines, input: PlainInput, places: Places, whenDrawn: () => Promise<void> = async () => {}) {
    this.#places = places;
    this.#whenDrawn = whenDrawn;
    this.#lines = lines;
    this.#input = input;
  }

  /** Applies until the returned function is called. */
  ownCall(callId: string): () => void {
    this.#own.add(callId);
    return () => void this.#own.delete(callId);
  }

  readonly askPermission: AskPermission = async (question, signal) => {
    if (this.#own.has(question.callId)) return { behavior: 'allow' };
    await this.#whenDrawn();
    const plan = planOf(question);
    if (plan !== undefined) return await this.#askAboutPlan(question, signal);
    const { display, suggestions, confinement } = question;
    const asked = headline(question, this.#places);
    this.#lines.line(visible(asked));
    this.#lines.subject(display, asked);
    for (const { level, text, undoable } of risksBelow(question, asked)) {
      const mark = level === 'high' ? 'Danger' : 'Note';
      const undo = undoWords({ undoable, text });
      this.#lines.line(`${mark}: ${visible(text)}${undo === '' ? '' : `, ${undo}`}`);
    }
    for (const { verb, text } of effectWords(question, this.#places)) {
      this.#lines.line(visible(verb === undefined ? text : `${verb} ${text}`));
    }
    for (const why of whyItAsks(question)) this.#lines.line(visible(why));
    if (confinement !== undefined) this.#lines.line(visible(confinement));
    // A rule with invisible characters can't be agreed to.
    const rules = suggestions.filter((rule) => visible(rule) === rule);
    const { first, all } = answerChoices(question, rules);
    const chosen = (await this.#choice(first, all, signal))?.gives ?? 'refuse';
    if (chosen === 'edit') return await this.#withRules(rules, signal);
    if (chosen !== 'refuse') return chosen;
    const why = await this.#input.ask(`${REFUSAL_PROMPT} (Enter for nothing) `, { signal });
    return { behavior: 'deny', ...(why && { reason: why }) };
  };

  /** By number or letter. "More" lists all choices. */
  async #choice(
    first: readonly AnswerChoice[],
    all: readonly AnswerChoice[],
    signal: AbortSignal,
  ): Promise<AnswerChoice | undefined> {
    const hasMore = all.length > first.length;
    const label = (choice: AnswerChoice): string =>
      visible(`${choice.label}${choice.about === undefined ? '' : ` ${choice.about}`} (${choice.key})`);
    const ways = [...first.map(label), ...(hasMore ? ['More choices (m)'] : [])];
    const keys = [...first.map(({ key }) => key), ...(hasMore ? ['m'] : [])];
    const chosen = await this.#number(ways, signal, { keys });
    if (hasMore && chosen === first.length) return await this.#choice(all, all, signal);
    return chosen === undefined ? undefined : first[chosen];
  }

  async #withRules(rules: readonly string[], signal: AbortSignal): Promise<PermissionAnswer> {
    const kept: string[] = [];
    for (const rule of rules) {
      const typed = await this.#input.ask(`The rule to save instead of ${rule} (Enter keeps it, - drops it): `, {
        signal,
      });
      if (typed !== '-') kept.push(typed === '' ? rule : typed);
    }
    return { behavior: 'allow', ...(kept.length > 0 && { remember: { rules: kept, scope: 'always' } }) };
  }

  async #askAboutPlan(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    this.#lines.line(PLAN_QUESTION);
    this.#lines.subject(question.display, PLAN_QUESTION);
    const more = moreOfPlan(question);
    if (more !== '') this.#lines.line(visible(more));
    const choices = planChoices('default');
    const ways = choices.map(({ label, key }) => `${label} (${key})`);
    const chosen = await this.#number(ways, signal, { keys: choices.map(({ key }) => key) });
    const { gives } = choices[chosen ?? -1] ?? { gives: 'refuse' as const };
    if (gives !== 'refuse') return gives;
    const why = await this.#input.ask(`${PLAN_REFUSAL_PROMPT} (Enter for nothing) `, { signal });
    return { behavior: 'deny', ...(why && { reason: why }) };
  }

  readonly askUser: AskUser = async (questions, signal) => {
    await this.#whenDrawn();
    const answers = [];
    for (const question of questions) answers.push(await this.#askOne(question, signal));
    return answers;
  };

  async askForTrust(report: TrustReport, instructions: readonly string[]): Promise<boolean> {
    const facts = trustFacts(report, this.#places, instructions);
    const { title, sentence, no, yes } = trustQuestion(facts);
    this.#lines.line(`${title} ${visible(facts.folder)}`);
    this.#lines.line(visible(sentence));
    for (const { file, items } of facts.groups) {
      this.#lines.line(`${visible(file)}:`);
      for (const item of items) this.#lines.line(`- ${itemWords(item)}`);
    }
    for (const words of instructionsLine(facts)) this.#lines.line(`- ${visible(words)}`);
    return (await this.#number([`${yes} (y)`, `${no} (n)`], undefined, { keys: ['y', 'n'] })) === 0;
  }

  /** Undefined if the user chooses none. */
  async choose(
    {
      title,
      text = '',
      changes = [],
      note,
      items,
    }: {
      title: string;
      text?: string | undefined;
      changes?: readonly ShownChange[];
      note?: string | undefined;
      items: readonly Choice[];
    },
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    this.#lines.line(visible(title));
    for (const line of text === '' ? [] : text.split('\n')) this.#lines.line(visible(line));
    for (const { title: change, path, patch } of changes) {
      this.#lines.line(visible(change));
      if (patch !== '') this.#lines.subject({ title: path, body: { type: 'diff', path, patch } }, path);
    }
    if (note !== undefined) this.#lines.line(visible(note));
    const ways = items.map(({ value, label = value, description, isCurrent = false, key }) =>
      visible(
        `${label}${description ? `: ${description}` : ''}${isCurrent ? ' (current)' : ''}${key === undefined ? '' : ` (${key})`}`,
      ),
    );
    const keys = items.map(({ key = '' }) => key);
    const chosen = await this.#number(ways, signal, { words: 'A number, or Enter for none: ', keys });
    return chosen === undefined ? undefined : items[chosen]?.value;
  }

  async show(title: string, lines: readonly string[]): Promise<void> {
    this.#lines.line(visible(title));
    for (const line of lines) this.#lines.line(visible(line));
  }

  /** Undefined if nothing was typed. */
  async askText(
    { title, isSecret }: { title: string; isSecret: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    return (await this.#input.ask(`${visible(title)} `, { signal, isSecret })) || undefined;
  }

  async #askOne({ question, options, multiSelect }: Question, signal: AbortSignal) {
    this.#lines.line(visible(question));
    for (const [index, { label, description }] of options.entries()) {
      this.#lines.line(`${index + 1}. ${visible(label)}: ${visible(description)}`);
    }
    const words = multiSelect ? 'Numbers, or your own words: ' : 'A number, or your own words: ';
    const typed = await this.#input.ask(words, { signal });
    const numbers = typed.split(/[\s,]+/).map(Number);
    const chosen = numbers.map((number) => options[number - 1]?.label).filter((label) => label !== undefined);
    return chosen.length === numbers.length ? { chosen } : { chosen: [], text: typed };
  }

  /** The index of the choice; undefined if it was none of them. */
  async #number(
    ways: readonly string[],
    signal?: AbortSignal,
    { words = 'A number: ', keys = [] }: { words?: string; keys?: readonly string[] } = {},
  ): Promise<number | undefined> {
    for (const [index, way] of ways.entries()) this.#lines.line(`${index + 1}. ${way}`);
    const typed = (await this.#input.ask(words, { signal })).toLowerCase();
    const byKey = keys.findIndex((key) => (key !== '' && typed === key) || (key === 'y' && typed === 'yes'));
    if (byKey >= 0) return byKey;
    const number = Number(typed);
    return Number.isInteger(number) && number >= 1 && number <= ways.length ? number - 1 : undefined;
  }
}
