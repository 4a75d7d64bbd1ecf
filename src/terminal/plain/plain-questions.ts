// Questions as lines with numbered answers.
import type { AskPermission } from '../../contract/permission.js';
import type { AskUser, Question } from '../../contract/question.js';
import { reasonForPeople } from '../../permissions/detect-injection.js';
import { visible } from '../../platform/text/visible.js';
import type { TrustReport } from '../../settings/trust.js';
import type { Choice } from '../contract.js';
import { trustWords } from '../dialogs/trust-words.js';
import type { PlainInput } from './plain-input.js';
import type { PlainLines } from './plain-lines.js';

export class PlainQuestions {
  readonly #lines: PlainLines;
  readonly #input: PlainInput;
  /** Calls made by the user, which need no permission question. */
  readonly #own = new Set<string>();

  constructor(lines: PlainLines, input: PlainInput) {
    this.#lines = lines;
    this.#input = input;
  }

  /** Applies until the returned function is called. */
  ownCall(callId: string): () => void {
    this.#own.add(callId);
    return () => void this.#own.delete(callId);
  }

  readonly askPermission: AskPermission = async (question, signal) => {
    const { callId, tool, display, decision, reason, suggestions, confinement } = question;
    if (this.#own.has(callId)) return { behavior: 'allow' };
    this.#lines.line(`Allow ${tool}? ${visible(display.title)}`);
    this.#lines.subject(display);
    this.#lines.line(`Why it asks: ${visible(reasonForPeople({ ...decision, reason }))}`);
    if (confinement !== undefined) this.#lines.line(visible(confinement));
    const rules = suggestions.map(visible).join(', ');
    const ways = [
      'Yes, this once',
      'No',
      ...(suggestions.length > 0 ? [`Yes, for this session: ${rules}`, `Yes, always: ${rules}`] : []),
    ];
    const chosen = await this.#number(ways, signal);
    if (chosen === 0) return { behavior: 'allow' };
    if (chosen === 2) return { behavior: 'allow', remember: { rules: suggestions, scope: 'session' } };
    if (chosen === 3) return { behavior: 'allow', remember: { rules: suggestions, scope: 'always' } };
    const why = await this.#input.ask('What should be done instead? (Enter for nothing) ', { signal });
    return { behavior: 'deny', ...(why && { reason: why }) };
  };

  readonly askUser: AskUser = async (questions, signal) => {
    const answers = [];
    for (const question of questions) answers.push(await this.#askOne(question, signal));
    return answers;
  };

  async askForTrust({ folder, pending }: TrustReport): Promise<boolean> {
    this.#lines.line(`This folder has settings that apply only if you trust it: ${visible(folder)}`);
    for (const item of pending) this.#lines.line(`- ${trustWords(item)}`);
    return (await this.#number(['Continue and ignore all of this', 'Trust the folder, with all of this'])) === 1;
  }

  /** Undefined if the user chooses none. */
  async choose(
    { title, text = '', items }: { title: string; text?: string | undefined; items: readonly Choice[] },
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    this.#lines.line(visible(title));
    for (const line of text === '' ? [] : text.split('\n')) this.#lines.line(visible(line));
    const ways = items.map(({ value, label = value, description, isCurrent = false }) =>
      visible(`${label}${description ? `: ${description}` : ''}${isCurrent ? ' (current)' : ''}`),
    );
    const chosen = await this.#number(ways, signal, 'A number, or Enter for none: ');
    return chosen === undefined ? undefined : items[chosen]?.value;
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
  async #number(ways: readonly string[], signal?: AbortSignal, words = 'A number: '): Promise<number | undefined> {
    for (const [index, way] of ways.entries()) this.#lines.line(`${index + 1}. ${way}`);
    const typed = (await this.#input.ask(words, { signal })).toLowerCase();
    if (typed === 'y' || typed === 'yes') return 0;
    const number = Number(typed);
    return Number.isInteger(number) && number >= 1 && number <= ways.length ? number - 1 : undefined;
  }
}
