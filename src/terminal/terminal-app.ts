import { matchesKey } from '@earendil-works/pi-tui';
import type { AgentHappening } from '../contract/event.js';
import type { PermissionMode } from '../contract/permission.js';
import { randomId } from '../platform/crypto.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { visible } from '../platform/text/visible.js';
import { Activity } from './activity.js';
import { CommandAnswers, messageOf } from './command-answers.js';
import { commandSession } from './command-session.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from './contract.js';
import { Conversation } from './conversation.js';
import { DialogQueue } from './dialogs/dialog-queue.js';
import { EventViews } from './event-views.js';
import { PromptCompletion } from './input/completion.js';
import { FileIndex } from './input/file-index.js';
import { type KeyAction, KeyBindings } from './input/key-bindings.js';
import { PromptEditor } from './input/prompt-editor.js';
import { PromptHistory } from './input/prompt-history.js';
import { readInput, type TypedInput } from './input/read-input.js';
import { createNotify } from './notify.js';
import type { OpenedSession, SessionWish } from './opened-session.js';
import { Questions } from './questions.js';
import type { Screen } from './screen.js';
import { SessionSpending } from './session-spending.js';
import type { TerminalOptions, TerminalSettings } from './start-terminal.js';
import { StatusLine } from './status-line.js';
import { chooseTheme, followBackground, type Theme, type ThemeName, themeNames } from './theme.js';
import { ToolConsole } from './tool-console.js';
import { NoticeView } from './views/notice-view.js';
import { WaitingView } from './waiting-view.js';

const TWICE_MS = 1_500; // within which the same key means more
const EARLY_MS = 500; // after the start

const modeRound: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

/** A conversation at the terminal: what is typed goes to where it belongs, what happens is shown. */
export class TerminalApp {
  readonly #screen: Screen;
  readonly #theme: Theme;
  readonly #options: TerminalOptions;
  readonly #now = (): number => performance.now();
  readonly #views: EventViews;
  readonly #dialogs: DialogQueue;
  readonly #questions: Questions;
  readonly #conversation: Conversation;
  readonly #activity: Activity;
  readonly #status: StatusLine;
  readonly #history: PromptHistory;
  readonly #left = Promise.withResolvers<number>();
  readonly #opened = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  #keys = new KeyBindings();
  #editor: PromptEditor;
  #session: OpenedSession | undefined;
  #settings: TerminalSettings | undefined;
  #spending = new SessionSpending();
  #commands: readonly TerminalCommand[] = [];
  #commandSession: CommandSession | undefined;
  #answers: CommandAnswers | undefined;
  #console: ToolConsole | undefined;
  readonly #files: FileIndex;
  #remember: ((note: string, session: CommandSession) => CommandAnswer) | undefined;
  #completion: PromptCompletion | undefined;
  #runningCommand: AbortController | undefined;
  #pressed: { action: KeyAction; at: number } | undefined;
  #startedAt = 0;
  #beganAt = 0;
  #mayBypass = false;

  constructor(screen: Screen, theme: Theme, options: TerminalOptions) {
    const { env, root } = options;
    this.#screen = screen;
    this.#theme = theme;
    this.#options = options;
    const now = this.#now;
    this.#views = new EventViews(screen.history, theme, {
      now,
      describeAgent: (id) => this.#session?.engine.session.agents?.find(id)?.description,
    });
    this.#dialogs = new DialogQueue({
      theme,
      now,
      later: (milliseconds, callback) => {
        const timer = setTimeout(callback, milliseconds);
        return () => clearTimeout(timer);
      },
      onChange: () => this.#showDialog(),
      onEarlyInput: (data) => this.#editor.handleInput(data),
    });
    const notify = createNotify({
      write: (text) => screen.tui.terminal.write(text),
      env,
      way: env['HELVE_NOTIFY'],
    });
    this.#questions = new Questions({
      theme,
      dialogs: this.#dialogs,
      notify,
      onAsk: (callId) => this.#views.asking(callId),
    });
    this.#conversation = new Conversation({
      session: () => this.#current,
      onEvent: (event) => this.#take(event),
      onSaid: ({ text, shown = text }) => this.#views.said(shown),
      onChange: () => screen.draw(),
      onProblem: (sentence) => this.#tellFailure(sentence),
      onBegin: () => {
        this.#beganAt = now();
        this.#activity.begin();
      },
      onRest: () => {
        this.#activity.end();
        this.#status.refresh();
        if (now() - this.#beganAt > 10_000) notify('The work is done');
      },
    });
    this.#activity = new Activity(screen, theme, {
      now,
      todos: () => this.#session?.engine.session.todos,
      hint: 'esc to interrupt',
    });
    screen.addLive(new WaitingView(theme, () => this.#conversation.waiting));
    this.#status = new StatusLine(theme, { root, draw: () => screen.draw(), session: () => this.#session });
    screen.statusLine = this.#status.view;
    this.#files = new FileIndex({ root, env });
    this.#history = PromptHistory.open({ dataFolder: dataFolderOf({ env }), root });
    this.#editor = this.#makeEditor(false);
    screen.editor = this.#editor;
    screen.tui.addInputListener((data) => this.#takeAnyKey(data));
  }

  async run(): Promise<number> {
    const { version, prompt } = this.#options;
    this.#views.show(new NoticeView(this.#theme, 'info', `Helve ${version} · /help for help`));
    this.#startedAt = this.#now();
    this.#screen.start();
    void this.#begin();
    if (prompt !== undefined) void this.#submit(prompt);
    try {
      return await this.#left.promise;
    } finally {
      this.#ending.abort(new Error('The terminal was left.'));
      this.#conversation.interrupt();
      this.#runningCommand?.abort();
      this.#activity.end();
      this.#status.stop();
      this.#files.end();
      this.#screen.stop();
      const running = this.#session?.engine.session.stillRunning ?? [];
      for (const what of running) process.stderr.write(`helve: ending ${visible(what)}\n`);
      await this.#session?.close();
      await this.#history.flushed();
      this.#sayGoodbye();
    }
  }

  quit(code = 0): void {
    this.#left.resolve(code);
  }

  /** Ends at once whatever calls have left running. */
  killAll(): void {
    this.#session?.engine.session.killAll();
  }

  /** Words for the person that belong to nothing on the screen. */
  tell(words: string): void {
    for (const line of words.split('\n')) {
      const text = line.replace(/^helve: /, '').trim();
      if (text !== '') this.#views.show(new NoticeView(this.#theme, 'warning', text));
    }
    this.#screen.draw();
  }

  get #current(): OpenedSession {
    if (!this.#session) throw new Error('There is no conversation yet.');
    return this.#session;
  }

  #tellFailure(sentence: string): void {
    this.#views.show(new NoticeView(this.#theme, 'failure', sentence));
    this.#screen.draw();
  }

  /** Reads settings, asks for trust where there is something to trust, and opens the conversation. */
  async #begin(): Promise<void> {
    try {
      this.#settings = await this.#readSettings();
      const { trust } = this.#settings.settings.current;
      if (trust.pending.length > 0 && (await this.#questions.askForTrust(trust, this.#ending.signal))) {
        const { trustFolder } = await import('../settings/trust.js');
        await trustFolder(trust.folder, trust.covered, { dataFolder: dataFolderOf({ env: this.#options.env }) });
        this.#settings = await this.#readSettings();
      }
      this.#useSettings();
      await this.#change(this.#options.first);
      await this.#loadRest();
      this.#opened.resolve();
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#left.reject(error);
    }
  }

  async #readSettings(): Promise<TerminalSettings> {
    return await this.#options.open({
      askPermission: this.#questions.askPermission,
      askUser: this.#questions.askUser,
      tell: (sentence) => this.tell(sentence),
    });
  }

  #useSettings(): void {
    const { current } = this.#settings?.settings ?? {};
    if (!current) return;
    this.#keys = new KeyBindings(current.keys);
    this.#keys.install();
    for (const conflict of this.#keys.conflicts()) this.tell(conflict);
    const looks = { setting: current.theme?.value, env: this.#options.env };
    this.#theme.use(chooseTheme(looks).name);
    void followBackground(
      this.#theme,
      looks,
      async (wait) => await this.#screen.tui.queryTerminalBackgroundColor(wait),
    ).then((changed) => changed && this.#screen.drawAnew());
    const text = this.#editor.getExpandedText();
    this.#editor = this.#makeEditor(current.editorMode?.value === 'vim');
    if (text !== '') this.#editor.setText(text);
    this.#screen.editor = this.#editor;
    if (current.statusLine) this.#status.useCommand(current.statusLine.value.command);
    this.#screen.drawAnew();
  }

  /** Leaves the conversation, where there is one, for another. */
  async #change(wish: SessionWish): Promise<void> {
    const settings = this.#settings;
    if (!settings) throw new Error('There are no settings yet.');
    const before = this.#session;
    const session = await settings.openSession(wish);
    this.#session = session;
    await before?.close();
    this.#spending = new SessionSpending();
    if (before) {
      this.#views.forget();
      this.#views.show(new NoticeView(this.#theme, 'info', `── conversation ${session.engine.session.id} ──`), {
        hasGap: true,
      });
    }
    const { historyViews } = await import('./show-history.js');
    const { tools } = session.engine.session;
    for (const { view, hasGap } of await historyViews(session.history, {
      theme: this.#theme,
      findTool: (name) => tools.find(name),
    })) {
      this.#views.show(view, { hasGap });
    }
    if (session.withoutModel !== undefined) await this.#offerModels(session);
    this.#status.refresh();
    this.#screen.draw();
  }

  /** A hint that stands in nobody's way: the tools can be used without a model. */
  async #offerModels({ env, withoutModel }: OpenedSession): Promise<void> {
    const { findModelOffers, setupHint } = await import('./first-run/model-offers.js');
    const lines = setupHint(await findModelOffers(env));
    const why = this.#options.env['HELVE_MODEL'] || this.#options.first.resume ? [withoutModel ?? ''] : [];
    this.#views.show(new NoticeView(this.#theme, 'info', [...why, ...lines].join('\n')), { hasGap: true });
  }

  /** What is not needed for the first frame. */
  async #loadRest(): Promise<void> {
    const { terminalCommands, completedCommands, remember } = await import('./commands/index.js');
    this.#commands = terminalCommands;
    this.#remember = remember;
    const { sessionBackground, stateText } = await import('../tools/bash/session-shells.js');
    const { engine } = this.#current;
    const { pastPrompts } = await import('./past-prompts.js');
    this.#commandSession = commandSession({
      session: () => this.#current,
      spending: () => this.#spending,
      background: () => this.#current.engine.session.own(sessionBackground),
      stateOf: stateText,
      themes: this.#themes(),
      builtIn: this.#commands,
      keys: () => this.#keys.listed(),
      prompts: () => pastPrompts(this.#current.engine.session),
      setMode: (mode) => this.#setMode(mode),
      compact: async (instructions) => await this.#compact(instructions),
      change: async (wish) => await this.#change(wish),
    });
    this.#answers = new CommandAnswers({
      theme: this.#theme,
      dialogs: this.#dialogs,
      session: this.#commandSession,
      show: (view) => {
        this.#views.show(view, { hasGap: true });
        this.#screen.draw();
      },
      say: (prompt) => this.#conversation.say(prompt),
      edit: (draft) => this.#editor.setText(draft),
      quit: () => this.quit(),
    });
    this.#console = new ToolConsole({
      engine: () => this.#current.engine,
      onEvent: (event) => this.#take(event),
      ownCall: (callId) => this.#questions.ownCall(callId),
    });
    this.#completion = new PromptCompletion({
      files: this.#files,
      cwd: () => this.#current.engine.session.cwd,
      home: engine.session.home,
      commands: async () => (this.#commandSession ? await completedCommands(this.#commandSession) : []),
      line: (text) =>
        this.#session && !this.#session.agent && !/^\s*[/!#]/.test(text) ? this.#console?.complete(text) : undefined,
    });
    this.#editor.setAutocompleteProvider(this.#completion);
  }

  #themes(): CommandSession['themes'] {
    const theme = this.#theme;
    const screen = this.#screen;
    return {
      names: themeNames,
      get current() {
        return theme.name;
      },
      use(name) {
        theme.use(themeNames.find((known): known is ThemeName => known === name) ?? theme.name);
        screen.drawAnew();
      },
    };
  }

  async #compact(instructions: string): ReturnType<CommandSession['compact']> {
    const { agent, withoutModel } = this.#current;
    if (!agent) throw new Error(withoutModel ?? 'No model is set up.');
    this.#activity.begin('Summarising');
    try {
      return await agent.compact(instructions, { signal: this.#ending.signal, onEvent: (event) => this.#take(event) });
    } finally {
      this.#activity.end();
      this.#status.refresh();
    }
  }

  #take(event: AgentHappening): void {
    this.#views.take(event);
    this.#activity.take(event);
    if (event.type === 'result') this.#spending.take(event);
    if (event.type === 'turn_end' || event.type === 'result') this.#status.refresh(this.#spending.usage.costUsd);
    this.#screen.draw();
  }

  async #submit(text: string): Promise<void> {
    if (text.trim() === '') return;
    this.#editor.remember(text);
    await this.#opened.promise;
    const typed = readInput(text);
    try {
      await this.#follow(typed, text.trim());
    } catch (error) {
      this.#tellFailure(messageOf(error));
    }
  }

  async #follow(typed: TypedInput, text: string): Promise<void> {
    switch (typed.type) {
      case 'command':
        return await this.#runTyped(typed, text);
      case 'note':
        if (this.#commandSession && this.#remember) {
          await this.#answers?.follow(this.#remember(typed.text, this.#commandSession), this.#ending.signal);
        }
        return;
      case 'shell':
        this.#views.said(`! ${typed.command}`);
        await this.#runCommand(typed.command);
        return;
      default:
        if (this.#current.agent) return this.#conversation.say({ text });
        this.#views.said(text);
        await this.#call(text);
    }
  }

  async #runTyped({ name, args }: { name: string; args: string }, text: string): Promise<void> {
    const { findCommand, runCommand } = await import('./commands/index.js');
    if (!this.#commandSession || !this.#answers) return;
    const command = findCommand(name);
    if (command && text !== '') this.#views.said(text);
    if (command?.needsRest) await this.#conversation.atRest();
    await this.#answers.follow(await runCommand({ name, args }, this.#commandSession), this.#ending.signal);
    this.#status.refresh();
  }

  /** What is typed where there is no model: a call of a tool. */
  async #call(line: string): Promise<void> {
    await this.#work(async (signal) => {
      const answer = await this.#console?.run(line, signal);
      if (answer) await this.#answers?.follow(answer, signal);
    });
  }

  async #runCommand(command: string): Promise<void> {
    const callId = this.#current.engine.session.claimCallId(randomId());
    const forget = this.#questions.ownCall(callId);
    await this.#work(async (signal) => await this.#conversation.runCommand(command, { callId, signal })).finally(
      forget,
    );
  }

  /** Something that the person runs themselves, and can stop. */
  async #work(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    this.#runningCommand = controller;
    this.#activity.begin('Running');
    try {
      await run(controller.signal);
    } finally {
      if (this.#runningCommand === controller) this.#runningCommand = undefined;
      if (!this.#conversation.isRunning) this.#activity.end();
      this.#status.refresh();
    }
  }

  /** What a key means beside what the editor makes of it. */
  #act(action: KeyAction): boolean {
    switch (action) {
      case 'interrupt':
        return this.#interrupt();
      case 'clear':
        return this.#clear();
      case 'quit':
        if (!this.#editor.isEmpty) return false;
        this.quit();
        return true;
      case 'cycleMode':
        this.#cycleMode();
        return true;
      case 'expand': {
        const first = this.#views.toggleExpansion();
        if (first) this.#screen.printAgainFrom(first);
        return true;
      }
      case 'background':
        if ((this.#session?.engine.session.moveToBackground() ?? 0) === 0) return false;
        return true;
      case 'todos':
        this.#activity.toggleTodos();
        return true;
      case 'redraw':
        this.#screen.drawAnew();
        return true;
      case 'externalEditor':
        void this.#editExternally();
        return true;
      case 'suspend':
        this.#suspend();
        return true;
      default:
        return false;
    }
  }

  #isTwice(action: KeyAction): boolean {
    const at = this.#now();
    const isTwice = this.#pressed?.action === action && at - this.#pressed.at < TWICE_MS;
    this.#pressed = isTwice ? undefined : { action, at };
    return isTwice;
  }

  #interrupt(): boolean {
    if (this.#runningCommand) {
      this.#runningCommand.abort(new Error('Interrupted.'));
      return true;
    }
    if (this.#conversation.isRunning) {
      const waiting = this.#conversation.takeBack();
      this.#conversation.interrupt();
      const drafts = [...waiting.map(({ text }) => text), this.#editor.getExpandedText()].filter((text) => text !== '');
      if (waiting.length > 0) this.#editor.setText(drafts.join('\n'));
      return true;
    }
    if (!this.#isTwice('interrupt')) return true;
    if (!this.#editor.isEmpty) this.#editor.setText('');
    else void this.#runTyped({ name: 'rewind', args: '' }, '').catch((error) => this.#tellFailure(messageOf(error)));
    return true;
  }

  #clear(): boolean {
    const isTwice = this.#isTwice('clear');
    if (isTwice) this.quit();
    else if (!this.#editor.isEmpty) this.#editor.setText('');
    else {
      this.#conversation.interrupt();
      this.#runningCommand?.abort(new Error('Interrupted.'));
      this.#status.hint(`${this.#keys.shown('clear')} again to leave`, TWICE_MS);
    }
    return true;
  }

  /** Ctrl-C counts also while a question is asked; and two Escs that come at once are two. */
  #takeAnyKey(data: string): { consume?: boolean; data?: string } | undefined {
    // What was typed before the terminal was ours has line feeds in the place of Enter.
    if (data === '\n' && this.#now() - this.#startedAt < EARLY_MS) return { data: '\r' };
    if (data === '\u001b\u001b' && !this.#dialogs.current) {
      this.#editor.handleInput('\u001b');
      this.#editor.handleInput('\u001b');
      return { consume: true };
    }
    if (!this.#dialogs.current || !matchesKey(data, 'ctrl+c')) return undefined;
    this.#clear();
    return { consume: true };
  }

  #cycleMode(): void {
    const session = this.#session?.engine.session;
    if (!session) return;
    // Where it was begun without any questions, that can be had again.
    if (session.mode === 'bypassPermissions') this.#mayBypass = true;
    const round: readonly PermissionMode[] = this.#mayBypass ? [...modeRound, 'bypassPermissions'] : modeRound;
    const next = round[(round.indexOf(session.mode) + 1) % round.length] ?? 'default';
    const problem = this.#setMode(next);
    if (problem !== undefined) this.tell(problem);
  }

  #setMode(mode: PermissionMode): string | undefined {
    const { engine, refuseMode } = this.#current;
    const problem = refuseMode(mode);
    if (problem === undefined) engine.session.mode = mode;
    this.#status.refresh();
    return problem;
  }

  #showDialog(): void {
    this.#screen.dialog = this.#dialogs.current ? this.#dialogs : undefined;
  }

  async #editExternally(): Promise<void> {
    const { editExternally } = await import('./input/external-editor.js');
    const outcome = await editExternally(this.#editor.getExpandedText(), {
      env: this.#options.env,
      cwd: this.#options.root,
      pause: () => this.#screen.stop(),
      resume: () => this.#screen.goOn(),
    });
    if ('text' in outcome) this.#editor.setText(outcome.text);
    else this.tell(outcome.problem);
  }

  #suspend(): void {
    if (process.platform === 'win32') return;
    this.#screen.stop();
    const alive = setInterval(() => {}, 60_000); // nothing else is waited for while the terminal is not ours
    process.once('SIGCONT', () => {
      clearInterval(alive);
      this.#screen.goOn();
    });
    process.kill(process.pid, 'SIGTSTP');
  }

  #makeEditor(vi: boolean): PromptEditor {
    const theme = this.#theme;
    const editor = new PromptEditor(this.#screen.tui, {
      theme: {
        borderColor: (text) => theme.paint.border(text),
        selectList: {
          selectedPrefix: (text) => theme.paint.selected(text),
          selectedText: (text) => theme.paint.selected(text),
          description: (text) => theme.paint.muted(text),
          scrollInfo: (text) => theme.paint.muted(text),
          noMatch: (text) => theme.paint.muted(text),
        },
      },
      keys: this.#keys,
      history: this.#history,
      vi,
      onAction: (action) => this.#act(action),
      isCommand: (name) => this.#commands.some((command) => command.name === name || command.aliases?.includes(name)),
      note: (text) => theme.paint.muted(text),
    });
    editor.onSubmit = (text) => void this.#submit(text);
    if (this.#completion) editor.setAutocompleteProvider(this.#completion);
    return editor;
  }

  #sayGoodbye(): void {
    if (!this.#session?.agent || this.#spending.usage.prompts === 0) return;
    process.stdout.write(`To go on with this conversation: helve --resume ${this.#session.engine.session.id}\n`);
  }
}
