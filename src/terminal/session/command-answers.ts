import { type Component, visibleWidth } from '@earendil-works/pi-tui';
import type { Choice, CommandAnswer } from '../contract.js';
import type { Theme } from '../screen/theme.js';
import { bodyLines } from '../views/body-lines.js';
import { ContextView } from '../views/context-view.js';
import { cleanLine, cleanLines, wrap } from '../views/fit.js';
import { MarkdownView } from '../views/markdown-view.js';
import { NoticeView } from '../views/notice-view.js';

/** Questions to the user. Undefined if they cancel. */
export interface AnswerQuestions {
  choose(
    facts: { title: string; text: string; items: readonly Choice[] },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  askText(facts: { title: string; isSecret: boolean }, signal: AbortSignal): Promise<string | undefined>;
}

export interface CommandAnswersOptions {
  theme: Theme;
  questions: AnswerQuestions;
  show(view: Component): void;
  /** Sends it to the model. */
  say(prompt: { text: string; shown?: string | undefined }): void;
  edit(draft: string): void;
  quit(): void;
  /** For lines that are read aloud: omits purely visual content. */
  isPlain?: boolean;
}

/** Handles a command's answer: shows it, asks, or sends it to the model. */
export class CommandAnswers {
  readonly #options: CommandAnswersOptions;

  constructor(options: CommandAnswersOptions) {
    this.#options = options;
  }

  async follow(first: CommandAnswer, signal: AbortSignal): Promise<void> {
    let answer: CommandAnswer | undefined = first;
    while (answer) answer = await this.#take(answer, signal);
  }

  async #take(answer: CommandAnswer, signal: AbortSignal): Promise<CommandAnswer | undefined> {
    const { theme, questions, show, say, edit, quit } = this.#options;
    switch (answer.type) {
      case 'text':
        show(new PlainText(answer.text));
        return undefined;
      case 'markdown':
        show(new MarkdownView(theme, answer.text));
        return undefined;
      case 'context':
        show(new ContextView(theme, answer.context, { isPlain: this.#options.isPlain ?? false }));
        return undefined;
      case 'display':
        show(new DisplayText(theme, answer.display));
        return undefined;
      case 'problem':
        show(new NoticeView(theme, 'failure', answer.text));
        return undefined;
      case 'choose': {
        const { title, text = '', items, choose } = answer;
        const chosen = await questions.choose({ title, text, items }, signal);
        return chosen === undefined ? undefined : await choose(chosen);
      }
      case 'ask': {
        const { title, isSecret = false } = answer;
        const typed = await questions.askText({ title, isSecret }, signal);
        return typed === undefined ? undefined : await answer.answer(typed);
      }
      case 'prompt':
        say(answer);
        return undefined;
      case 'edit':
        if (answer.text !== undefined) show(new PlainText(answer.text));
        edit(answer.draft);
        return undefined;
      case 'quit':
        quit();
        return undefined;
      case 'done':
        return undefined;
    }
  }
}

/** Lines shown as is, with invisible characters made visible. */
class PlainText implements Component {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = cleanLines(text);
  }

  invalidate(): void {}

  render(width: number): string[] {
    return this.#lines.flatMap((line) => wrapRow(line, width));
  }
}

/** If a row is too long, its last column wraps below itself. */
function wrapRow(row: string, width: number): string[] {
  const [head = ''] = /^ {2}\S.* {2,}(?=\S)/.exec(row) ?? [];
  if (head === '' || visibleWidth(head) > width / 2) return wrap(row, width, '  ');
  const [first = '', ...rest] = wrap(row.slice(head.length), width - visibleWidth(head));
  return [`${head}${first}`, ...rest.map((line) => `${' '.repeat(visibleWidth(head))}${line}`)];
}

class DisplayText implements Component {
  readonly #theme: Theme;
  readonly #display: Extract<CommandAnswer, { type: 'display' }>['display'];

  constructor(theme: Theme, display: Extract<CommandAnswer, { type: 'display' }>['display']) {
    this.#theme = theme;
    this.#display = display;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { title, body } = this.#display;
    const { lines } = body ? bodyLines(this.#theme, body, width, { isExpanded: true }) : { lines: [] };
    return [...wrap(this.#theme.paint.strong(cleanLine(title)), width), ...lines];
  }
}
