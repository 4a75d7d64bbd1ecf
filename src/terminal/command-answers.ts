import type { Component } from '@earendil-works/pi-tui';
import type { CommandAnswer, CommandSession, TerminalCommand } from './contract.js';
import { ChoiceDialog } from './dialogs/choice-dialog.js';
import type { DialogQueue } from './dialogs/dialog-queue.js';
import { TextDialog } from './dialogs/text-dialog.js';
import type { Theme } from './theme.js';
import { bodyLines } from './views/body-lines.js';
import { cleanLine, cleanLines, wrap } from './views/fit.js';
import { MarkdownView } from './views/markdown-view.js';
import { NoticeView } from './views/notice-view.js';

export interface CommandAnswersOptions {
  theme: Theme;
  dialogs: DialogQueue;
  session: CommandSession;
  show(view: Component): void;
  /** Sends it to the model. */
  say(prompt: { text: string; shown?: string | undefined }): void;
  edit(draft: string): void;
  quit(): void;
}

/** Runs the terminal's own commands, and does what comes of it. */
export class CommandAnswers {
  readonly #options: CommandAnswersOptions;

  constructor(options: CommandAnswersOptions) {
    this.#options = options;
  }

  async run(command: TerminalCommand, args: string, signal: AbortSignal): Promise<void> {
    try {
      await this.follow(await command.run(args, this.#options.session), signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#options.show(new NoticeView(this.#options.theme, 'failure', messageOf(error)));
    }
  }

  async follow(first: CommandAnswer, signal: AbortSignal): Promise<void> {
    let answer: CommandAnswer | undefined = first;
    while (answer) answer = await this.#take(answer, signal);
  }

  async #take(answer: CommandAnswer, signal: AbortSignal): Promise<CommandAnswer | undefined> {
    const { theme, dialogs, show, say, edit, quit } = this.#options;
    switch (answer.type) {
      case 'text':
        show(new PlainText(answer.text));
        return undefined;
      case 'markdown':
        show(new MarkdownView(theme, answer.text));
        return undefined;
      case 'display':
        show(new DisplayText(theme, answer.display));
        return undefined;
      case 'problem':
        show(new NoticeView(theme, 'failure', answer.text));
        return undefined;
      case 'choose': {
        const { title, text = '', items, choose } = answer;
        const facts = { title, text, items };
        const chosen = await dialogs.ask<string | undefined>((done) => new ChoiceDialog(theme, facts, done), signal);
        return chosen === undefined ? undefined : await choose(chosen);
      }
      case 'ask': {
        const { title, isSecret = false } = answer;
        const typed = await dialogs.ask<string | undefined>(
          (done) => new TextDialog(theme, { title, isSecret }, done),
          signal,
        );
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

/** Lines as they are, but for what can't be seen. */
class PlainText implements Component {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = cleanLines(text);
  }

  invalidate(): void {}

  render(width: number): string[] {
    return this.#lines.flatMap((line) => wrap(line, width, '  '));
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

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
