// A session in another process as plain lines, top to bottom: its transcript, its questions, and a line for prompts.
import { emitKeypressEvents } from 'node:readline';
import type { OpenQuestion } from '../../host/open-questions.js';
import type { EntryLine } from '../../host/sent-entry.js';
import { randomId } from '../../platform/crypto.js';
import { folderNames, homeFolder } from '../../platform/files/paths.js';
import { messageOf } from '../../platform/message-of.js';
import { visible } from '../../platform/text/visible.js';
import { PlainInput } from '../plain/plain-input.js';
import { PlainLines } from '../plain/plain-lines.js';
import { PlainQuestions } from '../plain/plain-questions.js';
import type { AttachTerminalOptions } from './attach-terminal.js';
import type { AttachedSession } from './attached-session.js';
import { EntryLines } from './entry-lines.js';
import { RemoteQuestions } from './remote-questions.js';

export class AttachPlain {
  readonly #session: AttachedSession;
  readonly #lines: PlainLines;
  readonly #entries: EntryLines;
  /** Nothing is written behind a question. */
  readonly #waiting: EntryLine[] = [];
  readonly #input: PlainInput;
  readonly #questions: PlainQuestions;
  readonly #left = Promise.withResolvers<'detached'>();
  readonly #asked: RemoteQuestions;
  readonly #welcome: string;
  #isBusy = false;

  constructor(session: AttachedSession, { env, welcome }: Pick<AttachTerminalOptions, 'env' | 'welcome'>) {
    this.#session = session;
    this.#welcome = welcome;
    this.#isBusy = session.state !== 'idle' && session.state !== 'failed';
    this.#lines = new PlainLines({
      write: (text) => process.stdout.write(text),
      color: !env['NO_COLOR'],
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
    this.#asked = new RemoteQuestions({
      session,
      ask: async (question, signal) => await this.#answerTo(question, signal),
      tell: (sentence) => this.#lines.line(`  · ${sentence}`),
      onProblem: (sentence) => this.#lines.line(`  ! ${visible(sentence)}`),
      oneByOne: true,
    });
  }

  async run(): Promise<'detached' | 'closed'> {
    this.#lines.line(visible(`${this.#welcome} Its folder is ${this.#session.root}.`));
    this.#lines.line('Enter sends a prompt, Esc interrupts, /detach or Ctrl-D leaves.');
    emitKeypressEvents(process.stdin);
    const onKey = (_: unknown, key: { name?: string } | undefined): void => {
      if (key?.name === 'escape') void this.#interrupt();
    };
    process.stdin.on('keypress', onKey);
    try {
      return await Promise.race([this.#left.promise, this.#follow()]);
    } finally {
      process.stdin.off('keypress', onKey);
      this.#asked.end();
      this.#input.close();
    }
  }

  async #follow(): Promise<'closed'> {
    for await (const line of this.#session.entries) {
      const { entry } = line;
      if (entry.kind === 'question') this.#asked.take(entry);
      else if (entry.kind === 'state') {
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
      await this.#session.prompt({ id: randomId(), text });
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
