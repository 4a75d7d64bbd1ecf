// The conversation as plain lines, top to bottom, for screen readers and for terminals that can't be painted on: nothing
// is ever drawn over, every question is a line with numbered answers, and what is typed is read line by line.
import { createInterface, type Interface } from 'node:readline';
import type { PermissionQuestion } from '../contract/permission.js';
import type { Question } from '../contract/question.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { visible } from '../platform/text/visible.js';
import { describeItem, trustFolder } from '../settings/trust.js';
import { Conversation } from './conversation.js';
import { readInput } from './input/read-input.js';
import type { OpenedSession, SessionPorts } from './opened-session.js';
import { PlainLines } from './plain-lines.js';
import type { TerminalOptions } from './start-terminal.js';

export async function startPlainTerminal(options: TerminalOptions): Promise<number> {
  return await new PlainTerminal(options).run();
}

class PlainTerminal {
  readonly #options: TerminalOptions;
  readonly #lines = new PlainLines({ write: (text) => process.stdout.write(text), color: false });
  readonly #input: Interface;
  readonly #left = Promise.withResolvers<number>();
  readonly #conversation: Conversation;
  /** Who waits for the next line, before it is taken for a prompt. */
  #asked: Array<(line: string | undefined) => void> = [];
  #session: OpenedSession | undefined;

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#input = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ' });
    this.#conversation = new Conversation({
      session: () => this.#current,
      onEvent: (event) => this.#lines.draw({ ...event, at: Date.now() }),
      onSaid: () => {},
      onChange: () => {},
      onProblem: (sentence) => this.#lines.line(`! ${visible(sentence)}`),
      onBegin: () => {},
      onRest: () => this.#input.prompt(),
    });
  }

  get #current(): OpenedSession {
    if (!this.#session) throw new Error('There is no conversation yet.');
    return this.#session;
  }

  async run(): Promise<number> {
    const { version, prompt, first } = this.#options;
    this.#lines.line(`Helve ${version}. Type a prompt and press Enter. /quit leaves.`);
    this.#input.on('line', (line) => this.#take(line));
    this.#input.on('close', () => this.#left.resolve(0));
    this.#input.on('SIGINT', () => {
      if (!this.#conversation.interrupt()) this.#left.resolve(0);
    });
    const onSignal = (): void => this.#left.resolve(143);
    process.on('SIGTERM', onSignal);
    try {
      this.#session = await (await this.#settings()).openSession(first);
      if (this.#session.withoutModel !== undefined) this.#lines.line(`! ${visible(this.#session.withoutModel)}`);
      if (prompt !== undefined) this.#conversation.say({ text: prompt });
      else this.#input.prompt();
      return await this.#left.promise;
    } finally {
      process.off('SIGTERM', onSignal);
      this.#conversation.interrupt();
      this.#input.close();
      await this.#session?.close();
    }
  }

  async #settings() {
    const ports: SessionPorts = {
      askPermission: async (question, signal) => await this.#askPermission(question, signal),
      askUser: async (questions, signal) => {
        const answers = [];
        for (const question of questions) answers.push(await this.#askQuestion(question, signal));
        return answers;
      },
      tell: (sentence) => this.#lines.line(`! ${visible(sentence)}`),
    };
    const settings = await this.#options.open(ports);
    const { trust } = settings.settings.current;
    if (trust.pending.length === 0) return settings;
    this.#lines.line(`This folder brings what counts only where you trust it: ${trust.folder}`);
    for (const item of trust.pending) this.#lines.line(`- ${describeItem(item)}`);
    if ((await this.#choose(['Go on without: none of this counts', 'Trust the folder with all of this'])) !== 1)
      return settings;
    await trustFolder(trust.folder, trust.covered, { dataFolder: dataFolderOf({ env: this.#options.env }) });
    return await this.#options.open(ports);
  }

  #take(line: string): void {
    const asked = this.#asked.shift();
    const typed = readInput(line);
    if (asked) asked(line);
    else if (typed.type === 'command' && ['quit', 'exit'].includes(typed.name)) this.#left.resolve(0);
    else if (line.trim() === '') this.#input.prompt();
    else this.#conversation.say({ text: line.trim() });
  }

  async #askPermission(question: PermissionQuestion, signal: AbortSignal) {
    const { tool, display, reason, suggestions } = question;
    this.#lines.line(`Allow ${tool}? ${visible(display.title)}`);
    this.#lines.line(`Why it asks: ${visible(reason)}`);
    const rules = suggestions.map(visible).join(', ');
    const ways = [
      'Yes, this once',
      'No',
      ...(suggestions.length > 0 ? [`Yes, for this session: ${rules}`, `Yes, always: ${rules}`] : []),
    ];
    const chosen = await this.#choose(ways, signal);
    if (chosen === 0) return { behavior: 'allow' as const };
    if (chosen === 2 || chosen === 3) {
      const scope = chosen === 2 ? ('session' as const) : ('always' as const);
      return { behavior: 'allow' as const, remember: { rules: suggestions, scope } };
    }
    const why = (await this.#ask('What should be done instead? (Enter for nothing) ', signal))?.trim();
    return { behavior: 'deny' as const, ...(why && { reason: why }) };
  }

  async #askQuestion({ question, options, multiSelect }: Question, signal: AbortSignal) {
    this.#lines.line(visible(question));
    for (const [index, { label, description }] of options.entries()) {
      this.#lines.line(`${index + 1}. ${visible(label)}: ${visible(description)}`);
    }
    const typed =
      (
        await this.#ask(multiSelect ? 'Numbers, or your own words: ' : 'A number, or your own words: ', signal)
      )?.trim() ?? '';
    const numbers = typed.split(/[\s,]+/).map(Number);
    const chosen = numbers.map((number) => options[number - 1]?.label).filter((label) => label !== undefined);
    return chosen.length === numbers.length ? { chosen } : { chosen: [], text: typed };
  }

  /** The position of what was chosen; undefined where it was none of them. */
  async #choose(ways: readonly string[], signal?: AbortSignal): Promise<number | undefined> {
    for (const [index, way] of ways.entries()) this.#lines.line(`${index + 1}. ${way}`);
    const typed = (await this.#ask('A number: ', signal))?.trim().toLowerCase();
    if (typed === 'y' || typed === 'yes') return 0;
    const number = Number(typed);
    return Number.isInteger(number) && number >= 1 && number <= ways.length ? number - 1 : undefined;
  }

  async #ask(words: string, signal?: AbortSignal): Promise<string | undefined> {
    signal?.throwIfAborted();
    process.stdout.write(words);
    return await new Promise((answer, fail) => {
      const taken = (line: string | undefined): void => {
        signal?.removeEventListener('abort', onAbort);
        answer(line);
      };
      const onAbort = (): void => {
        this.#asked = this.#asked.filter((other) => other !== taken);
        fail(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#asked.push(taken);
    });
  }
}
