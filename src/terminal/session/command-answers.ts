import { type Component, visibleWidth } from '@earendil-works/pi-tui';
import { abortable } from '../../platform/abortable.js';
import type { AnswerSection, Choice, CommandAnswer, ShownChange } from '../contract.js';
import type { Theme } from '../screen/theme.js';
import { bodyLines } from '../views/body-lines.js';
import { diffLines } from '../views/changes-view.js';
import { ContextView } from '../views/context-view.js';
import { ExplanationView } from '../views/explanation-view.js';
import { cleanLine, cleanLines, cut, padEnd, wrap } from '../views/fit.js';
import { MarkdownView } from '../views/markdown-view.js';
import { NoticeView } from '../views/notice-view.js';

const DENSE_COLUMNS = 76; // for a heading, a name and what it does on one line
const LOOK_MS = 200; // for lines that change

/** Questions to the user. Undefined if they cancel. */
export interface AnswerQuestions {
  choose(
    facts: {
      title: string;
      text: string;
      changes?: readonly ShownChange[];
      note?: string;
      items: readonly Choice[];
      latest?: () => readonly Choice[];
      givesWay?: boolean;
      focus?: number;
      cancel?: string | undefined;
      verb?: string | undefined;
      extra?: { key: string; about: string; run(value: string): void };
    },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  askText(
    facts: { title: string; isSecret: boolean; verb?: string | undefined },
    signal: AbortSignal,
  ): Promise<string | undefined>;
}

export interface CommandAnswersOptions {
  theme: Theme;
  questions: AnswerQuestions;
  /** `isLive`: it may change until the returned function is called. */
  show(view: Component, options?: { isLive?: boolean }): () => void;
  /** Redraws. */
  draw(): void;
  /** Sends it to the model. */
  say(prompt: { text: string; shown?: string | undefined; instructions?: string | undefined }): void;
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

  /** `beforeShown` is called once, before anything is shown. Resolves to true if a prompt was sent, which is shown as one. */
  async follow(first: CommandAnswer, signal: AbortSignal, beforeShown: () => void = () => {}): Promise<boolean> {
    let answer: CommandAnswer | undefined = first;
    let isShown = false;
    let isPrompt = false;
    while (answer) {
      isPrompt ||= answer.type === 'prompt';
      if (!isShown && shows(answer)) {
        isShown = true;
        beforeShown();
      }
      answer = await this.#take(answer, signal);
    }
    return isPrompt;
  }

  /** Redraws the lines until they are settled. Lines that are read aloud are printed once they are. */
  async #follow({ lines, settled }: Extract<CommandAnswer, { type: 'live' }>, signal: AbortSignal): Promise<void> {
    const { show, draw, isPlain = false } = this.#options;
    const done = abortable(() => settled, signal).catch(() => {}); // the lines say what has failed
    if (isPlain) await done;
    const settle = show(new LiveText(lines), { isLive: true });
    const timer = setInterval(draw, LOOK_MS).unref();
    // The prompt is free meanwhile.
    void done.finally(() => {
      clearInterval(timer);
      settle();
      draw();
    });
  }

  async #take(answer: CommandAnswer, signal: AbortSignal): Promise<CommandAnswer | undefined> {
    const { theme, questions, show, say, edit, quit } = this.#options;
    switch (answer.type) {
      case 'text':
        show(new PlainText(answer.text));
        return undefined;
      case 'sections':
        show(new SectionsText(theme, answer));
        return undefined;
      case 'diffs':
        show(new DiffsText(theme, answer));
        return undefined;
      case 'live':
        await this.#follow(answer, signal);
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
      case 'explained':
        show(new ExplanationView(theme, answer.text));
        return undefined;
      case 'problem':
        show(new NoticeView(theme, 'failure', answer.text));
        return undefined;
      case 'choose': {
        const { choose, text = '', extra, ...facts } = answer;
        let extraFor: string | undefined;
        const noted = (value: string): void => {
          extraFor = value;
        };
        const key = extra && { ...extra, run: noted };
        const chosen = await questions.choose({ ...facts, text, givesWay: true, ...(key && { extra: key }) }, signal);
        if (extra && extraFor !== undefined) return await extra.run(extraFor);
        return chosen === undefined ? undefined : await choose(chosen);
      }
      case 'ask': {
        const { title, isSecret = false, verb } = answer;
        const typed = await questions.askText({ title, isSecret, verb }, signal);
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

/** Whether something of it stays in the transcript. A prompt is shown by the conversation. */
const shows = ({ type }: CommandAnswer): boolean =>
  type !== 'choose' && type !== 'ask' && type !== 'prompt' && type !== 'quit';

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

/** Lines that are computed whenever they are drawn. */
class LiveText implements Component {
  readonly #lines: () => readonly string[];

  constructor(lines: () => readonly string[]) {
    this.#lines = lines;
  }

  invalidate(): void {}

  render(width: number): string[] {
    return new PlainText(this.#lines().join('\n')).render(width);
  }
}

/** Lines under headings. */
class SectionsText implements Component {
  readonly #theme: Theme;
  readonly #sections: readonly AnswerSection[];
  readonly #isDense: boolean;

  constructor(theme: Theme, { sections, isDense = false }: Extract<CommandAnswer, { type: 'sections' }>) {
    this.#theme = theme;
    this.#sections = sections;
    this.#isDense = isDense;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { paint } = this.#theme;
    if (this.#isDense && width >= DENSE_COLUMNS) return this.#dense(width);
    return this.#sections.flatMap(({ title, note, lines }, index) => [
      ...(index > 0 ? [''] : []),
      cut(`${paint.strong(cleanLine(title))}${note === undefined ? '' : ` ${paint.muted(cleanLine(note))}`}`, width),
      ...new PlainText(lines.join('\n')).render(width),
    ]);
  }

  #dense(width: number): string[] {
    const column = Math.max(...this.#sections.map(({ title }) => visibleWidth(title))) + 2;
    return this.#sections.flatMap(({ title, lines }) =>
      lines.map((line, index) => {
        const head = padEnd(index === 0 ? this.#theme.paint.strong(cleanLine(title)) : '', column);
        // The name before a wider gap is read first.
        const [, name = line, rest = ''] = /^(\S+ {2,})(.*)$/.exec(line) ?? [];
        return cut(`${head}${cleanLine(name)}${this.#theme.paint.muted(cleanLine(rest))}`, width);
      }),
    );
  }
}

/** The changes of files, each below its name. */
class DiffsText implements Component {
  readonly #theme: Theme;
  readonly #answer: Extract<CommandAnswer, { type: 'diffs' }>;

  constructor(theme: Theme, answer: Extract<CommandAnswer, { type: 'diffs' }>) {
    this.#theme = theme;
    this.#answer = answer;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { paint } = this.#theme;
    const { title, files, notes } = this.#answer;
    return [
      cut(paint.strong(cleanLine(title)), width),
      ...files.flatMap((file) => ['', ...diffLines(this.#theme, file, width)]),
      ...(notes.length === 0 ? [] : ['', ...notes.flatMap((note) => wrap(paint.muted(cleanLine(note)), width))]),
    ];
  }
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
