// The conversation as plain lines, top to bottom, for screen readers and simple terminals: nothing is ever overdrawn,
// every question is a line with numbered answers, and input is read line by line.
import { openedNotice } from '../../agent/goals/goal-words.js';
import type { AgentHappening } from '../../contract/event.js';
import { withShownPaths } from '../../display/shown-path.js';
import { folderNames, homeFolder } from '../../platform/files/paths.js';
import { visible } from '../../platform/text/visible.js';
import { FileIndex } from '../input/file-index.js';
import { KeyBindings } from '../input/key-bindings.js';
import { guardTerminal } from '../screen/terminal-guard.js';
import { Theme } from '../screen/theme.js';
import { BackgroundWork, endedWords, mayChangeWork } from '../session/background-work.js';
import { Conversation } from '../session/conversation.js';
import { CurrentSession } from '../session/current-session.js';
import { firstSession } from '../session/first-session.js';
import { ForegroundTask } from '../session/foreground-task.js';
import { loadCommands } from '../session/load-commands.js';
import type { LoadedCommands } from '../session/loaded-commands.js';
import { openSettings } from '../session/open-settings.js';
import type { SessionRequest } from '../session/opened-session.js';
import { hintWithoutModel } from '../session/setup-hint.js';
import { TypedLines } from '../session/typed-lines.js';
import type { TerminalOptions, TerminalSettings } from '../start-terminal.js';
import { PlainInput } from './plain-input.js';
import { PlainLines } from './plain-lines.js';
import { PlainQuestions } from './plain-questions.js';

const MAX_ROUNDS = 100; // agents may go on all the time
const WIDTH = 80; // for the output of commands: it is read aloud

export async function startPlainTerminal(options: TerminalOptions): Promise<number> {
  const terminal = new PlainTerminal(options);
  const guard = guardTerminal(
    { isOn: false, stop: () => terminal.letGo() },
    { onEnd: (code) => terminal.quit(code), killAll: () => terminal.killAll(), onWords: () => {} },
  );
  try {
    return await terminal.run();
  } finally {
    guard.dispose();
  }
}

class PlainTerminal {
  readonly #options: TerminalOptions;
  readonly #lines: PlainLines;
  readonly #theme = new Theme({ name: 'none', depth: 'basic' }, { links: false });
  readonly #session = new CurrentSession();
  readonly #left = Promise.withResolvers<number>();
  readonly #loading = Promise.withResolvers<LoadedCommands>();
  readonly #ending = new AbortController();
  readonly #input: PlainInput;
  readonly #questions: PlainQuestions;
  readonly #conversation: Conversation;
  readonly #work: ForegroundTask;
  readonly #typed: TypedLines;
  readonly #files: FileIndex;
  readonly #background: BackgroundWork;
  /** Events that came while a question was open. */
  readonly #waiting: AgentHappening[] = [];
  /** How many events have come. */
  #events = 0;

  constructor(options: TerminalOptions) {
    this.#options = options;
    const session = this.#session;
    this.#lines = new PlainLines({
      write: (text) => process.stdout.write(text),
      color: false,
      readsMarkdown: true,
      shorten: (text) => withShownPaths(text, { root: options.root, home: homeFolder() }),
    });
    this.#input = new PlainInput({
      onLine: (line) => void this.#take(line),
      onEnd: () => this.quit(),
      onAnswer: () => this.#drawWaiting(),
      onInterrupt: () => {
        if (!this.#work.stop() && !this.#conversation.interrupt()) this.quit();
      },
    });
    this.#background = new BackgroundWork({
      session: () => session.orNone,
      now: () => performance.now(),
      onStart: (title) => this.#lines.aside(`In the background: ${visible(title)}. /tasks lists what runs.`),
      onEnd: (ended) => this.#print(endedWords(ended)),
      onChange: () => {},
    });
    const places = {
      project: folderNames(options.root),
      home: [homeFolder() ?? []].flat().flatMap(folderNames),
    };
    this.#questions = new PlainQuestions(this.#lines, this.#input, places, () => this.#drawn());
    this.#conversation = new Conversation({
      session: () => session.opened,
      onEvent: (event) => this.#draw(event),
      onSaid: () => {},
      onChange: () => {},
      onProblem: (sentence) => this.#tell(sentence),
      onBegin: () => {},
      onResult: async (result) => {
        const goal = result.outcome === 'interrupted' ? session.afterStop : undefined;
        if (goal !== undefined) this.#lines.line(goal);
        return await session.afterRun(result, async (title, items) => await this.#questions.choose({ title, items }));
      },
      onRest: () => this.#input.prompt(),
    });
    this.#work = new ForegroundTask({ onBegin: () => {}, onEnd: () => {} });
    this.#typed = new TypedLines({
      session,
      conversation: this.#conversation,
      work: this.#work,
      commands: this.#loading.promise,
      signal: this.#ending.signal,
      onSaid: () => {},
      onProblem: (sentence) => this.#tell(sentence),
      onDone: () => {},
      ownCall: (callId) => this.#questions.ownCall(callId),
      attachments: { of: async () => [] },
    });
    const { root, env } = options;
    this.#files = new FileIndex({ root, env, onProblem: (sentence) => this.#tell(sentence) });
  }

  async run(): Promise<number> {
    const { version, draft, prompt = draft, welcome, farewell } = this.#options;
    this.#lines.line(`Helve ${version}. Type a prompt and press Enter. /help lists commands, /quit leaves.`);
    if (welcome !== undefined) this.#lines.line(welcome);
    try {
      await Promise.race([this.#begin(), this.#left.promise]);
      if (draft !== undefined) this.#lines.line(`> ${draft}`);
      if (prompt !== undefined) void this.#take(prompt);
      else this.#input.prompt();
      return await this.#left.promise;
    } finally {
      this.#ending.abort(new Error('The terminal was closed.'));
      this.#conversation.interrupt();
      this.#work.stop();
      this.#files.end();
      this.#background.end();
      this.letGo();
      await this.#session.close();
      if (farewell !== undefined) this.#lines.line(farewell);
    }
  }

  quit(code = 0): void {
    this.#left.resolve(code);
  }

  /** Kills everything that calls have left running. */
  killAll(): void {
    this.#session.orNone?.engine.session.killAll();
  }

  letGo(): void {
    this.#input.close();
  }

  async #begin(): Promise<void> {
    const { askPermission, askUser } = this.#questions;
    const settings = await openSettings(
      this.#options,
      { askPermission, askUser, tell: (sentence) => this.#tell(sentence) },
      this.#questions,
    );
    const first = await firstSession(this.#options, {
      choose: async (title, items, cancel) =>
        await this.#questions.choose({
          title:
            cancel === undefined
              ? 'Which conversation? Enter alone starts a new one.'
              : `${title}. Enter alone leaves.`,
          items,
        }),
      tell: (sentence) => this.#lines.line(sentence),
      leave: (id) => {
        if (id !== undefined) this.#options.attach?.(id);
        this.quit();
      },
    });
    await this.#change(settings, first);
    this.#loading.resolve(await this.#loadCommands(settings));
  }

  /** Switches to another conversation, leaving the current one, if any. */
  async #change(settings: TerminalSettings, request: SessionRequest): Promise<void> {
    const opened = await settings.openSession(request);
    await this.#session.become(opened);
    const goals = opened.agent?.goals;
    if (goals?.stored) this.#lines.line(openedNotice(goals.stored));
    if (goals) goals.isNews = false;
    if (opened.withoutModel !== undefined) this.#print(await hintWithoutModel(opened));
  }

  async #loadCommands(settings: TerminalSettings): Promise<LoadedCommands> {
    return await loadCommands({
      theme: this.#theme,
      questions: this.#questions,
      session: this.#session,
      files: this.#files,
      themes: { names: ['none'], current: 'none', use: () => {} },
      keys: () => new KeyBindings().listed(),
      signal: this.#ending.signal,
      version: this.#options.version,
      copy: async (text) => await (await import('../input/copy-text.js')).copyText(text, { env: this.#options.env }),
      editFile: async (path) => await this.#editFile(path),
      isPlain: true,
      work: {
        ranFor: (id) => this.#background.ranFor(id),
        look: async ({ id }) => this.#print((await this.#background.look(id)).map(visible).join('\n')),
      },
      show: (view) => {
        this.#print(view.render(WIDTH).join('\n'));
        return () => {};
      },
      draw: () => {},
      say: (prompt) => this.#conversation.say(prompt),
      edit: (draft) => this.#input.edit(draft),
      quit: () => this.quit(),
      tell: (sentence) => this.#tell(sentence),
      change: async (request) => await this.#change(settings, request),
      onEvent: (event) => this.#draw(event),
      onMode: () => {},
      onCompaction: () => {},
      ownCall: (callId) => this.#questions.ownCall(callId),
    });
  }

  async #editFile(path: string): Promise<string | undefined> {
    const { editFileExternally } = await import('../input/external-editor.js');
    const { env, root } = this.#options;
    return await editFileExternally(path, { env, cwd: root, pause: () => {}, resume: () => {} });
  }

  async #take(line: string): Promise<void> {
    await this.#typed.take(line);
    if (!this.#conversation.isRunning && !this.#ending.signal.aborted) this.#input.prompt();
  }

  /** A question comes at once, and the events before it one after the other. */
  async #drawn(): Promise<void> {
    for (let before = -1, round = 0; before !== this.#events && round < MAX_ROUNDS; round += 1) {
      before = this.#events;
      await new Promise((next) => setImmediate(next));
    }
  }

  #draw(event: AgentHappening): void {
    this.#events += 1;
    if (mayChangeWork.has(event.type)) this.#background.refresh();
    this.#session.spending.take(event);
    // Nothing is written behind the words of a question, where the answer is typed.
    if (this.#input.isAsking) this.#waiting.push(event);
    else this.#lines.draw({ ...event, at: Date.now() });
  }

  #drawWaiting(): void {
    while (!this.#input.isAsking) {
      const event = this.#waiting.shift();
      if (!event) return;
      this.#lines.draw({ ...event, at: Date.now() });
    }
  }

  #print(text: string): void {
    for (const line of text.split('\n')) this.#lines.aside(line.trimEnd());
  }

  #tell(sentence: string): void {
    this.#lines.aside(`! ${visible(sentence)}`);
  }
}
