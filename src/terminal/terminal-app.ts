import type { AgentHappening } from '../contract/event.js';
import { shownFolder, withShownPaths } from '../display/shown-path.js';
import { dataFolderOf, homeFolder } from '../platform/files/paths.js';
import type { Choice } from './contract.js';
import type { DialogQueue } from './dialogs/dialog-queue.js';
import { Attachments } from './input/attachments.js';
import { FileIndex } from './input/file-index.js';
import { PromptHistory } from './input/prompt-history.js';
import { Activity } from './screen/activity.js';
import type { Screen } from './screen/screen.js';
import { StatusLine } from './screen/status-line.js';
import type { Theme } from './screen/theme.js';
import { applyTheme, themePort } from './screen/theme-choice.js';
import { WaitingView } from './screen/waiting-view.js';
import { applySettings } from './session/apply-settings.js';
import { createAsking } from './session/asking.js';
import { BackgroundPanel } from './session/background-panel.js';
import { Conversation } from './session/conversation.js';
import { CurrentSession } from './session/current-session.js';
import { EditorSlot } from './session/editor-slot.js';
import { firstSession } from './session/first-session.js';
import { ForegroundTask } from './session/foreground-task.js';
import { hostPorts } from './session/host-ports.js';
import { KeyActions } from './session/key-actions.js';
import type { LoadedCommands } from './session/loaded-commands.js';
import { openSettings } from './session/open-settings.js';
import type { SessionRequest } from './session/opened-session.js';
import type { Questions } from './session/questions.js';
import { QueuedPrompts } from './session/queued-prompts.js';
import { TypedLines } from './session/typed-lines.js';
import type { TerminalOptions, TerminalSettings } from './start-terminal.js';
import { EventViews } from './views/event-views.js';
import { NoticeView } from './views/notice-view.js';
import { StartView } from './views/start-view.js';

const LONG_MS = 10_000; // the user is notified at the end of work that takes longer than this

/** The terminal application: assembles its parts, and runs until the user leaves. */
export class TerminalApp {
  readonly #screen: Screen;
  readonly #theme: Theme;
  readonly #options: TerminalOptions;
  readonly #session = new CurrentSession();
  readonly #views: EventViews;
  readonly #dialogs: DialogQueue;
  readonly #questions: Questions;
  readonly #conversation: Conversation;
  readonly #queued = new QueuedPrompts(() => this.#session.orNone);
  readonly #activity: Activity;
  readonly #panel: BackgroundPanel;
  readonly #status: StatusLine;
  readonly #history: PromptHistory;
  readonly #files: FileIndex;
  readonly #place: EditorSlot;
  readonly #work: ForegroundTask;
  readonly #typed: TypedLines;
  readonly #start: StartView;
  readonly #left = Promise.withResolvers<number>();
  readonly #loading = Promise.withResolvers<LoadedCommands>();
  readonly #ending = new AbortController();
  #commands: LoadedCommands | undefined;

  constructor(screen: Screen, theme: Theme, options: TerminalOptions) {
    const { env, root } = options;
    this.#screen = screen;
    this.#theme = theme;
    this.#options = options;
    const now = (): number => performance.now();
    const directory = options.folderName ?? shownFolder(root, homeFolder());
    this.#start = new StartView(theme, { version: options.version, directory });
    this.#views = new EventViews(screen.history, theme, {
      now,
      shorten: (text) => withShownPaths(text, { root, home: homeFolder() }),
      afterStop: () => this.#session.afterStop,
    });
    const { dialogs, notify, questions } = createAsking({
      ...{ screen, theme, env, root, views: this.#views },
      place: () => this.#place,
      notifications: () => this.#session.orNone?.settings.current.notifications?.value,
      onChange: () => this.#retitle(),
      modeAfterPlan: () => this.#session.orNone?.engine.session.planning.modeAfter ?? 'default',
      stop: () => void keys.stop(),
    });
    this.#dialogs = dialogs;
    this.#questions = questions;
    let beganAt = 0;
    this.#conversation = new Conversation({
      session: () => this.#session.opened,
      onEvent: (event) => this.#take(event),
      onSaid: ({ text, shown = text }) => {
        this.#session.rests();
        this.#views.said(shown);
        if (screen.title) screen.title.task = shown;
      },
      queued: this.#queued,
      onChange: () => screen.draw(),
      onProblem: (sentence) => this.#tellFailure(sentence),
      onBegin: () => {
        beganAt = now();
        this.#activity.begin();
        this.#retitle();
      },
      onResult: async (result) => await this.#session.afterRun(result, this.#choose),
      onRest: () => {
        this.#activity.end();
        this.#retitle();
        this.#status.refresh();
        if (now() - beganAt > LONG_MS) notify('The work is done');
      },
    });
    this.#activity = new Activity(screen, theme, {
      now,
      session: () => this.#session.orNone,
      keys: () => this.#place.keys,
      note: (sentence) => this.#views.show(new NoticeView(theme, 'info', sentence)),
    });
    screen.addLive(
      new WaitingView(theme, { conversation: this.#conversation, typed: () => this.#typed, views: this.#views }),
    );
    this.#panel = new BackgroundPanel({
      screen,
      theme,
      session: this.#session,
      dialogs: this.#dialogs,
      now,
      isWorking: () => this.#activity.isShown || this.#conversation.waiting.length > 0,
      show: (view) => this.#views.show(view, { hasGap: true }),
      onProblem: (sentence) => this.#tellFailure(sentence),
      onEnd: (id, hasFailed) => this.#views.backgroundEnded(id, hasFailed),
      onOtherKey: (data) => this.#place.editor.handleInput(data),
      signal: this.#ending.signal,
    });
    this.#status = new StatusLine(theme, {
      root,
      folderName: options.folderName,
      draw: () => screen.draw(),
      session: () => this.#session.orNone,
      hint: () => (this.#place.editor.isEmpty && !screen.hasDialog ? '? for shortcuts' : undefined),
      modeKey: () => this.#place.keys.hint('cycleMode'),
    });
    screen.statusLine = this.#status.view;
    this.#files = new FileIndex({ root, env, onProblem: (sentence) => this.tell(sentence) });
    this.#history = PromptHistory.open({ dataFolder: dataFolderOf({ env }), root });
    this.#work = new ForegroundTask({
      onBegin: () => this.#activity.begin('Running'),
      onEnd: () => {
        if (!this.#conversation.isRunning) this.#activity.end();
        this.#status.refresh();
      },
    });
    const attachments = new Attachments({ home: homeFolder(), onProblem: (sentence) => this.#tellFailure(sentence) });
    this.#typed = new TypedLines({
      session: this.#session,
      conversation: this.#conversation,
      work: this.#work,
      commands: this.#loading.promise,
      signal: this.#ending.signal,
      onSaid: (text) => this.#views.said(text),
      onProblem: (sentence) => this.#tellFailure(sentence),
      onDone: () => this.#status.refresh(),
      onWait: () => screen.draw(),
      ownCall: (callId) => this.#ownCall(callId),
      attachments,
    });
    const keys = new KeyActions({
      now,
      env,
      root,
      screen,
      theme,
      place: () => this.#place,
      dialogs: this.#dialogs,
      conversation: this.#conversation,
      work: this.#work,
      session: this.#session,
      views: this.#views,
      activity: this.#activity,
      status: this.#status,
      attachments,
      tell: (sentence) => this.tell(sentence),
      rewind: () => void this.#typed.runCommand('rewind'),
      panel: this.#panel,
      signal: this.#ending.signal,
      quit: () => void this.#leave(),
    });
    this.#place = new EditorSlot(screen, theme, {
      history: this.#history,
      mode: () => this.#session.orNone?.engine.session.mode ?? 'default',
      onAction: (action) => keys.act(action),
      onSubmit: (text, shown) => this.#submit(text, shown),
      isCommand: (name) => !this.#commands || this.#commands.find(name) !== undefined,
      argumentHint: (name) => this.#commands?.find(name)?.argumentHint,
      standIn: (pasted) => attachments.forPaste(pasted),
    });
    screen.tui.addInputListener((data) => keys.takeAny(data));
  }

  async run(): Promise<number> {
    const { prompt, welcome, draft } = this.#options;
    this.#views.show(this.#start, { hasGap: false });
    if (welcome !== undefined) this.#views.show(new NoticeView(this.#theme, 'info', welcome), { hasGap: true });
    if (draft !== undefined) this.#place.editor.setText(draft);
    this.#screen.start();
    void this.#begin();
    if (prompt !== undefined) this.#submit(prompt);
    try {
      return await this.#left.promise;
    } finally {
      await this.#end();
    }
  }

  /** `attachTo`: the session of the background that is followed then. */
  quit(code = 0, attachTo?: string): void {
    if (attachTo !== undefined) this.#options.attach?.(attachTo);
    this.#left.resolve(code);
  }

  /** Asks first if that would end work in the background. */
  async #leave(): Promise<void> {
    if (await this.#panel.confirmEnd((facts) => this.#questions.choose(facts, this.#ending.signal))) this.quit();
  }

  readonly #choose = async (title: string, items: readonly Choice[], cancel?: string): Promise<string | undefined> =>
    await this.#questions.choose({ title, items, cancel }, this.#ending.signal);

  readonly #ask = { choose: this.#choose, tell: (sentence: string) => this.tell(sentence) };

  /** Kills everything that calls have left running, and the command of the status line. */
  killAll(): void {
    this.#status.kill();
    this.#session.orNone?.engine.session.killAll();
  }

  /** Shows a message that belongs to nothing else on the screen. */
  tell(words: string): void {
    for (const line of words.split('\n')) {
      const text = line.replace(/^helve: /, '').trim();
      if (text !== '') this.#views.show(new NoticeView(this.#theme, 'warning', text));
    }
    this.#screen.draw();
  }

  /** Shows in the window's title whether the user is waited for. */
  #retitle(): void {
    const { title } = this.#screen;
    if (this.#dialogs.current) this.#status.endHint();
    if (!title) return;
    const { isRunning } = this.#conversation;
    title.state = this.#dialogs.current ? 'asking' : isRunning ? 'working' : this.#session.spending.ended;
  }

  /** Marks a call as the user's own; the returned function ends that. */
  #ownCall(callId: string): () => void {
    this.#views.own(callId);
    return this.#questions.ownCall(callId);
  }

  #tellFailure(sentence: string): void {
    this.#views.show(new NoticeView(this.#theme, 'failure', sentence));
    this.#screen.draw();
  }

  #submit(text: string, shown = text): void {
    if (text.trim() !== '') this.#place.editor.remember(text);
    void this.#typed.take(text, shown);
  }

  #take(event: AgentHappening): void {
    const { spending } = this.#session;
    this.#views.take(event);
    this.#activity.take(event);
    this.#panel.take(event);
    spending.take(event);
    const failed = this.#session.failedServersAt(event);
    if (failed !== undefined) this.tell(failed);
    if (event.type === 'turn_end' || event.type === 'result') this.#status.refresh(spending.usage.costUsd);
    this.#screen.draw();
  }

  /** Reads settings, opens the conversation, and loads what the first frame did not need. */
  async #begin(): Promise<void> {
    try {
      const { askPermission, askUser } = this.#questions;
      const settings = await openSettings(
        this.#options,
        { askPermission, askUser, tell: (sentence) => this.tell(sentence), drawsCalls: true },
        this.#questions.aboutFolder(this.#ending.signal, (read) => {
          this.#applyTheme(read);
          this.#screen.history.changed(this.#start.wait());
        }),
      );
      this.#applyTheme(settings);
      applySettings(settings, {
        place: this.#place,
        status: this.#status,
        screen: this.#screen,
        tell: (text) => this.tell(text),
      });
      await this.#change(
        settings,
        await firstSession(this.#options, { ...this.#ask, leave: (id) => this.quit(0, id) }),
      );
      this.#commands = await this.#loadCommands(settings);
      this.#place.completion = this.#commands.completion;
      this.#loading.resolve(this.#commands);
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      // Without a conversation, the error says all: the head of the screen would stay half empty above it.
      if (this.#screen.history.views.length === 1) this.#screen.history.remove(this.#start);
      this.#left.reject(error);
    }
  }

  #applyTheme({ settings: { current } }: { settings: Pick<TerminalSettings['settings'], 'current'> }): void {
    applyTheme(this.#screen, this.#theme, { setting: current.theme?.value, env: this.#options.env });
  }

  /** Switches to another conversation, leaving the current one, if any. */
  async #change(settings: TerminalSettings, request: SessionRequest): Promise<void> {
    const opened = await settings.openSession(request);
    const { mode } = opened.engine.session;
    if (await this.#session.become(opened)) this.#views.forget();
    this.#start.update({ model: opened.model, mode });
    this.#screen.history.changed(this.#start);
    const { showOpened } = await import('./session/show-history.js');
    const hasHistory = request.beforePrompt === undefined;
    await showOpened(this.#views, opened, { theme: this.#theme, root: this.#options.root, hasHistory });
    this.#queued.offer(this.#place.editor, (sentence) => this.tell(sentence));
    this.#status.refresh(this.#session.spending.usage.costUsd);
    this.#screen.draw();
  }

  async #loadCommands(settings: TerminalSettings): Promise<LoadedCommands> {
    const { loadCommands } = await import('./session/load-commands.js');
    return await loadCommands({
      theme: this.#theme,
      questions: this.#questions,
      session: this.#session,
      files: this.#files,
      themes: themePort(this.#screen, this.#theme),
      keys: () => this.#place.keys.listed(),
      work: this.#panel,
      signal: this.#ending.signal,
      version: this.#options.version,
      ...hostPorts({ screen: this.#screen, place: this.#place, env: this.#options.env, root: this.#options.root }),
      show: (view, options) => {
        const settle = this.#views.show(view, { hasGap: true, ...options });
        this.#screen.draw();
        return settle;
      },
      draw: () => this.#screen.draw(),
      say: (prompt) => this.#conversation.say(prompt),
      edit: (draft) => this.#place.editor.setText(draft),
      quit: () => void this.#leave(),
      tell: (sentence) => this.tell(sentence),
      change: async (request) => await this.#change(settings, request),
      onEvent: (event) => this.#take(event),
      onMode: () => this.#status.refresh(),
      onCompaction: (work) => this.#activity.during('Summarising', work, () => this.#status.refresh()),
      ownCall: (callId) => this.#ownCall(callId),
    });
  }

  async #end(): Promise<void> {
    this.#ending.abort(new Error('The terminal was closed.'));
    this.#conversation.interrupt();
    this.#work.stop();
    this.#activity.end();
    this.#panel.end();
    this.#status.stop();
    this.#files.end();
    await this.#screen.end();
    const { orNone: opened, spending } = this.#session;
    const { endingLines, farewellText } = await import('./session/farewell.js');
    for (const line of endingLines(opened)) process.stderr.write(line);
    await this.#session.close();
    await this.#history.flushed();
    const { farewell } = this.#options;
    const text = farewellText(opened, { farewell, hasPrompts: spending.usage.prompts > 0 });
    if (text !== undefined) process.stdout.write(text);
  }
}
