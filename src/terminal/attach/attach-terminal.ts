// Follows a session in another process at the terminal: its transcript, its questions, and a line for prompts.
import { emitKeypressEvents } from 'node:readline';
import type { OpenQuestion } from '../../host/open-questions.js';
import type { EntryLine } from '../../host/sent-entry.js';
import { folderNames, homeFolder } from '../../platform/files/paths.js';
import { messageOf } from '../../platform/message-of.js';
import { visible } from '../../platform/text/visible.js';
import { PlainInput } from '../plain/plain-input.js';
import { PlainLines } from '../plain/plain-lines.js';
import { PlainQuestions } from '../plain/plain-questions.js';
import type { AttachedSession } from './attached-session.js';
import { EntryLines } from './entry-lines.js';

/** `detached`: the person has left, and the session goes on. `closed`: it was closed meanwhile. */
export async function attachTerminal(session: AttachedSession): Promise<'detached' | 'closed'> {
  const view = new AttachTerminal(session);
  return await view.run();
}

class AttachTerminal {
  readonly #session: AttachedSession;
  readonly #lines: PlainLines;
  readonly #entries: EntryLines;
  /** Nothing is written behind a question. */
  readonly #waiting: EntryLine[] = [];
  readonly #input: PlainInput;
  readonly #questions: PlainQuestions;
  readonly #left = Promise.withResolvers<'detached'>();
  readonly #asking = new Map<string, AbortController>();
  /** Questions are asked one after the other. */
  #lastQuestion: Promise<void> = Promise.resolve();
  #isBusy = false;

  constructor(session: AttachedSession) {
    this.#session = session;
    this.#isBusy = session.state !== 'idle' && session.state !== 'failed';
    this.#lines = new PlainLines({
      write: (text) => process.stdout.write(text),
      color: !process.env['NO_COLOR'],
      readsMarkdown: true,
    });
    this.#entries = new EntryLines(this.#lines);
    this.#input = new PlainInput({
      onLine: (line) => void this.#take(line),
      onEnd: () => this.#left.resolve('detached'),
      onAnswer: () => this.#drawWaiting(),
      onInterrupt: () => void this.#interrupt(),
    });
    this.#questions = new PlainQuestions(this.#lines, this.#input, {
      project: folderNames(session.root),
      home: [homeFolder() ?? []].flat().flatMap(folderNames),
    });
  }

  async run(): Promise<'detached' | 'closed'> {
    const { id, title, root } = this.#session;
    this.#lines.line(`Session ${id.slice(0, 8)} in ${visible(root)}${title === '' ? '' : `: ${visible(title)}`}`);
    this.#lines.line('Enter sends a prompt, Esc interrupts, /detach or Ctrl-D leaves; the session goes on then.');
    emitKeypressEvents(process.stdin);
    const onKey = (_: unknown, key: { name?: string } | undefined): void => {
      if (key?.name === 'escape') void this.#interrupt();
    };
    process.stdin.on('keypress', onKey);
    try {
      return await Promise.race([this.#left.promise, this.#follow()]);
    } finally {
      process.stdin.off('keypress', onKey);
      for (const controller of this.#asking.values()) controller.abort(new Error('The client has left.'));
      this.#input.close();
    }
  }

  async #follow(): Promise<'closed'> {
    for await (const line of this.#session.entries) {
      const { entry } = line;
      if (entry.kind === 'question') {
        if (entry.isOpen) this.#ask(entry.question);
        else this.#asking.get(entry.id)?.abort(new Error('It was answered elsewhere, or withdrawn.'));
      } else if (entry.kind === 'state') {
        this.#isBusy = entry.state === 'running' || entry.state === 'requires_action';
        if (this.#input.isAsking) continue;
        this.#entries.end();
        if (!this.#isBusy) this.#input.prompt();
      } else if (this.#input.isAsking) this.#waiting.push(line);
      else this.#entries.take(line);
    }
    return 'closed';
  }

  #drawWaiting(): void {
    while (!this.#input.isAsking) {
      const line = this.#waiting.shift();
      if (!line) return;
      this.#entries.take(line);
    }
  }

  #ask(question: OpenQuestion): void {
    if (this.#asking.has(question.id)) return;
    const controller = new AbortController();
    this.#asking.set(question.id, controller);
    const { signal } = controller;
    this.#lastQuestion = this.#lastQuestion
      .then(() => this.#answer(question, signal))
      .catch((error: unknown) => {
        if (signal.aborted) this.#lines.line('  · The question was answered elsewhere, or withdrawn.');
        else this.#lines.line(`  ! ${visible(messageOf(error))}`);
      })
      .finally(() => this.#asking.delete(question.id));
  }

  async #answer(question: OpenQuestion, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const answer = await this.#answerTo(question, signal);
    if (await this.#session.answer(question.id, answer)) return;
    this.#lines.line('  · The question was answered elsewhere before.');
  }

  async #answerTo(question: OpenQuestion, signal: AbortSignal) {
    switch (question.kind) {
      case 'permission':
        return await this.#questions.askPermission(question.question, signal);
      case 'choices':
        return await this.#questions.askUser(question.questions, signal);
      case 'trust':
        return await this.#questions.askForTrust(question.report, question.instructions);
    }
  }

  async #take(typed: string): Promise<void> {
    const text = typed.trim();
    if (text === '/detach' || text === '/quit' || text === '/exit') {
      this.#left.resolve('detached');
      return;
    }
    if (text === '') {
      this.#input.prompt();
      return;
    }
    try {
      await this.#session.prompt(text);
    } catch (error) {
      this.#lines.line(`  ! ${visible(messageOf(error))}`);
      this.#input.prompt();
    }
  }

  async #interrupt(): Promise<void> {
    if (!this.#isBusy) return;
    this.#lines.line('  · Interrupting…');
    await this.#session.interrupt().catch((error: unknown) => this.#lines.line(`  ! ${visible(messageOf(error))}`));
  }
}
