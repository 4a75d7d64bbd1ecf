// A session in another process, in the interface of the terminal: its transcript, its questions as dialogs, a prompt.

import { shownFolder, withShownPaths } from '../../display/shown-path.js';
import type { OpenQuestion } from '../../host/open-questions.js';
import type { EntryLine } from '../../host/sent-entry.js';
import { dataFolderOf, homeFolder } from '../../platform/files/paths.js';
import { messageOf } from '../../platform/message-of.js';
import { visible } from '../../platform/text/visible.js';
import type { DialogQueue } from '../dialogs/dialog-queue.js';
import { ScrollDialog } from '../dialogs/scroll-dialog.js';
import { Attachments } from '../input/attachments.js';
import { PromptCompletion } from '../input/completion.js';
import { FileIndex } from '../input/file-index.js';
import { KeyBindings } from '../input/key-bindings.js';
import { PromptHistory } from '../input/prompt-history.js';
import { Activity } from '../screen/activity.js';
import type { Notify } from '../screen/notify.js';
import type { Screen } from '../screen/screen.js';
import { StatusLine } from '../screen/status-line.js';
import type { Theme } from '../screen/theme.js';
import { applyTheme } from '../screen/theme-choice.js';
import { WaitingView } from '../screen/waiting-view.js';
import { createAsking } from '../session/asking.js';
import type { WorkItem } from '../session/background-work.js';
import { EditorSlot } from '../session/editor-slot.js';
import { KeyActions } from '../session/key-actions.js';
import type { Questions } from '../session/questions.js';
import { EventViews } from '../views/event-views.js';
import { NoticeView } from '../views/notice-view.js';
import { StartView } from '../views/start-view.js';
import { WorkPanel } from '../views/work-panel.js';
import { attachCommands, isAttachCommand, runLine } from './attach-commands.js';
import type { AttachTerminalOptions } from './attach-terminal.js';
import type { AttachedSession, QuestionAnswer } from './attached-session.js';
import { EntryEvents, promptWords } from './entry-events.js';
import { FirstEntries } from './first-entries.js';
import { RemoteAgents } from './remote-agents.js';
import { RemotePrompts } from './remote-prompts.js';
import { RemoteQuestions } from './remote-questions.js';
import { RemoteState } from './remote-state.js';

const LONG_MS = 10_000; // the user is notified at the end of work that takes longer than this

export class AttachApp {
  readonly #screen: Screen;
  readonly #theme: Theme;
  readonly #session: AttachedSession;
  readonly #options: AttachTerminalOptions;
  readonly #state: RemoteState;
  readonly #views: EventViews;
  readonly #events: EntryEvents;
  readonly #agents: RemoteAgents;
  readonly #dialogs: DialogQueue;
  readonly #questions: Questions;
  readonly #asked: RemoteQuestions;
  readonly #activity: Activity;
  readonly #panel: WorkPanel;
  readonly #status: StatusLine;
  readonly #history: PromptHistory;
  readonly #files: FileIndex;
  readonly #place: EditorSlot;
  readonly #attachments: Attachments;
  readonly #start: StartView;
  readonly #notify: Notify;
  readonly #left = Promise.withResolvers<'detached'>();
  readonly #ending = new AbortController();
  readonly #prompts: RemotePrompts;
  #notifications: string | undefined;
  #workSince: number | undefined;
  /** Esc has closed a question: nothing is answered to it. */
  #isStopping = false;

  constructor(screen: Screen, theme: Theme, session: AttachedSession, options: AttachTerminalOptions) {
    const { root } = session;
    const { env, version } = options;
    this.#screen = screen;
    this.#theme = theme;
    this.#session = session;
    this.#options = options;
    const now = (): number => performance.now();
    this.#state = new RemoteState(session);
    this.#start = new StartView(theme, { version, directory: shownFolder(root, homeFolder()) });
    this.#views = new EventViews(screen.history, theme, {
      now,
      shorten: (text) => withShownPaths(text, { root, home: homeFolder() }),
    });
    this.#agents = new RemoteAgents(now);
    const asking = createAsking({
      ...{ screen, theme, env, root, views: this.#views },
      place: () => this.#place,
      notifications: () => this.#notifications,
      onChange: () => this.#retitle(),
      modeAfterPlan: () => 'default',
      stop: () => {
        this.#isStopping = true;
        keys.stop();
      },
    });
    this.#dialogs = asking.dialogs;
    this.#notify = asking.notify;
    this.#questions = asking.questions;
    this.#asked = new RemoteQuestions({
      session,
      ask: async (question, signal) => await this.#answerTo(question, signal),
      tell: (sentence) => this.#note('info', sentence),
      onProblem: (sentence) => this.#note('failure', sentence),
    });
    this.#prompts = new RemotePrompts({
      session,
      isBusy: () => this.#state.isBusy,
      onChange: () => screen.draw(),
      onProblem: (sentence) => this.#note('failure', sentence),
    });
    this.#activity = new Activity(screen, theme, {
      now,
      session: () => this.#state,
      keys: () => this.#place.keys,
      note: (sentence) => this.#note('info', sentence),
    });
    this.#events = new EntryEvents((event) => {
      this.#views.take(event);
      this.#activity.take(event);
    });
    const lines = (): Array<{ line: string; waitsFor: 'model' }> =>
      this.#prompts.waiting.map(({ text, shown = text }) => ({ line: shown, waitsFor: 'model' }));
    // They run after the prompt before them, as lines do that wait for the model.
    const typed = () => ({ waiting: lines() });
    screen.addLive(new WaitingView(theme, { conversation: { waiting: [] }, typed, views: this.#views }));
    this.#panel = new WorkPanel(theme, {
      items: () => this.#agents.items,
      isShown: () => !screen.hasDialog,
      hasWorkAbove: () => this.#activity.isShown || this.#prompts.waiting.length > 0,
      look: (item) => void this.#look(item),
      stop: () => this.#note('info', 'Esc stops the work of the session, and its agents with it.'),
      leave: (data) => {
        screen.focusOn(undefined);
        if (data !== undefined) this.#place.editor.handleInput(data);
      },
    });
    screen.addLive(this.#panel);
    this.#status = new StatusLine(theme, {
      root,
      draw: () => screen.draw(),
      session: () => this.#state,
      hint: () => (this.#place.editor.isEmpty && !screen.hasDialog ? '/detach to leave' : undefined),
      modeKey: () => this.#place.keys.hint('cycleMode'),
    });
    screen.statusLine = this.#status.view;
    this.#files = new FileIndex({ root, env, onProblem: (sentence) => this.tell(sentence) });
    this.#history = PromptHistory.open({ dataFolder: dataFolderOf({ env }), root });
    this.#attachments = new Attachments({
      home: homeFolder(),
      onProblem: (sentence) => this.#note('failure', sentence),
    });
    const keys = new KeyActions({
      ...{ now, env, root, screen, theme },
      place: () => this.#place,
      dialogs: this.#dialogs,
      conversation: this.#prompts,
      work: { stop: () => false },
      session: { orNone: undefined, cycleMode: () => this.#cycleMode() },
      views: this.#views,
      activity: this.#activity,
      status: this.#status,
      attachments: this.#attachments,
      tell: (sentence) => this.tell(sentence),
      panel: { focus: () => this.#focusPanel(), refresh: () => {} },
      signal: this.#ending.signal,
      quit: () => this.#left.resolve('detached'),
    });
    this.#place = new EditorSlot(screen, theme, {
      history: this.#history,
      mode: () => this.#state.mode,
      onAction: (action) => keys.act(action),
      onSubmit: (text, shown) => void this.#submit(text, shown),
      isCommand: isAttachCommand,
      argumentHint: (name) => attachCommands.find((command) => command.name === name)?.argumentHint,
      standIn: (pasted) => this.#attachments.forPaste(pasted),
    });
    screen.tui.addInputListener((data) => keys.takeAny(data));
  }

  /** Until the person leaves, or the session is closed. Rejects when the host is gone. */
  async run(): Promise<'detached' | 'closed'> {
    this.#start.update({ model: this.#state.model, mode: this.#state.mode });
    this.#views.show(this.#start, { hasGap: false });
    this.#note('info', this.#options.welcome);
    this.#screen.start();
    this.#status.refresh(this.#state.costUsd);
    if (this.#screen.title && this.#session.title !== '') this.#screen.title.task = this.#session.title;
    void this.#load().catch((error: unknown) => this.#note('failure', messageOf(error)));
    const following = this.#follow();
    try {
      return await Promise.race([this.#left.promise, following]);
    } finally {
      following.catch(() => {}); // the connection is closed after this
      await this.#end();
    }
  }

  quit(): void {
    this.#left.resolve('detached');
  }

  tell(words: string): void {
    for (const line of words.split('\n').map((one) => one.replace(/^helve: /, '').trim())) {
      if (line !== '') this.#note('warning', line);
    }
  }

  #note(kind: 'info' | 'warning' | 'failure', sentence: string): void {
    this.#views.show(new NoticeView(this.#theme, kind, visible(sentence)));
    this.#screen.draw();
  }

  /** The settings of the interface, and names for completion. */
  async #load(): Promise<void> {
    const { env } = this.#options;
    const settings = await this.#options.settings();
    const keys = new KeyBindings(settings.keys);
    this.#place.use(keys, { vi: settings.editorMode?.value === 'vim' });
    for (const conflict of keys.conflicts()) this.tell(conflict);
    applyTheme(this.#screen, this.#theme, { setting: settings.theme?.value, env });
    this.#notifications = settings.notifications?.value;
    this.#place.completion = new PromptCompletion({
      files: this.#files,
      cwd: () => this.#session.root,
      home: homeFolder(),
      commands: async () => attachCommands,
    });
    await this.#state.loadTools();
    this.#status.refresh();
    this.#screen.redrawAll();
  }

  async #follow(): Promise<'closed'> {
    let first: FirstEntries | undefined = new FirstEntries();
    if (this.#state.isBusy) this.#begin();
    for await (const line of this.#session.entries) {
      if (!first) this.#take(line);
      else if (first.add(line)) {
        const { left, lines } = first;
        first = undefined;
        const short = this.#session.id.slice(0, 8);
        if (left > 0) this.#note('info', `${left} earlier entries are not shown. All of them: helve logs ${short}`);
        // The facts that came with the answer are newer.
        for (const one of lines) if (one.entry.kind !== 'progress') this.#take(one, { isPast: true });
      }
    }
    return 'closed';
  }

  #take(line: EntryLine, { isPast = false } = {}): void {
    const { entry } = line;
    this.#agents.take(line);
    if (entry.kind === 'prompt') {
      if (!isPast) this.#activity.take(this.#state.startEvent); // todos so far belong to an earlier prompt
      this.#said(entry.id.replace(/^prompt:/, ''), promptWords(entry.content));
    } else if (entry.kind === 'question') this.#asked.take(entry);
    else if (entry.kind === 'progress') {
      this.#state.update(entry.facts);
      this.#events.take(line);
      this.#status.refresh(this.#state.costUsd);
    } else if (entry.kind === 'state') {
      this.#state.state = entry.state;
      if (this.#state.isBusy) this.#begin();
      else this.#rest();
    } else if (entry.kind !== 'end' || !this.#prompts.isTakenBack(entry.promptId)) this.#events.take(line);
    this.#screen.draw();
  }

  #said(promptId: string, words: string): void {
    this.#prompts.hasBegun(promptId);
    this.#isStopping = false;
    if (this.#prompts.isTakenBack(promptId)) return;
    this.#views.take({ type: 'turn_start', turn: 1 });
    this.#views.said(words);
    if (this.#screen.title && this.#session.title === '') this.#screen.title.task = words;
  }

  #begin(): void {
    this.#workSince ??= performance.now();
    this.#activity.begin();
    this.#retitle();
  }

  #rest(): void {
    const since = this.#workSince;
    this.#workSince = undefined;
    this.#activity.end();
    this.#retitle();
    if (since !== undefined && performance.now() - since > LONG_MS) this.#notify('The work is done');
  }

  #retitle(): void {
    const { title } = this.#screen;
    if (this.#dialogs.current) this.#status.endHint();
    if (!title) return;
    const ended = this.#state.state === 'failed' ? 'failed' : 'idle';
    title.state = this.#dialogs.current ? 'asking' : this.#state.isBusy ? 'working' : ended;
  }

  async #answerTo(question: OpenQuestion, signal: AbortSignal): Promise<QuestionAnswer | undefined> {
    this.#isStopping = false;
    const answer = await this.#answerInDialog(question, signal);
    return this.#isStopping ? undefined : answer;
  }

  async #answerInDialog(question: OpenQuestion, signal: AbortSignal): Promise<QuestionAnswer> {
    switch (question.kind) {
      case 'permission':
        return await this.#questions.askPermission(question.question, signal);
      case 'choices': {
        const { callId } = question;
        return await this.#questions.askUser(question.questions, signal, callId === undefined ? undefined : { callId });
      }
      case 'trust':
        return await this.#questions.aboutFolder(signal, () => {}).askForTrust(question.report, question.instructions);
    }
  }

  async #submit(text: string, shown: string): Promise<void> {
    const typed = text.trim();
    if (typed === '') return;
    this.#place.editor.remember(text);
    try {
      if (await runLine(typed, this.#commandPorts)) return;
      await this.#prompts.send({ text: typed, shown: shown.trim(), images: await this.#attachments.of(text) });
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      this.#note('failure', messageOf(error));
      if (this.#place.editor.isEmpty) this.#place.editor.setText(text);
    }
  }

  get #commandPorts() {
    return {
      session: this.#session,
      model: () => this.#state.model,
      mode: () => this.#state.mode,
      builtIn: async () => {
        const { terminalCommands } = await import('../commands/index.js');
        return terminalCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
      },
      print: (lines: readonly string[]) => this.#note('info', lines.join('\n')),
      keys: () => this.#place.keys.listed(),
      leave: () => this.quit(),
    };
  }

  #cycleMode(): undefined {
    this.#session
      .set({ mode: this.#state.nextMode })
      .catch((error: unknown) => this.#note('failure', messageOf(error)));
  }

  #focusPanel(): boolean {
    if (this.#agents.items.length === 0) return false;
    this.#screen.focusOn(this.#panel);
    return true;
  }

  async #look({ id, title }: WorkItem): Promise<void> {
    const { signal } = this.#ending;
    const facts = { title, lines: () => this.#agents.lines(id), rows: () => this.#screen.tui.terminal.rows };
    await this.#dialogs
      .ask<void>((close) => new ScrollDialog(this.#theme, facts, close), signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#note('failure', messageOf(error));
      });
  }

  async #end(): Promise<void> {
    // What was typed and not sent is found again with the arrow keys.
    const draft = this.#place.editor.getExpandedText();
    if (draft.trim() !== '') this.#history.add(draft);
    this.#ending.abort(new Error('The terminal was closed.'));
    this.#asked.end();
    this.#activity.end();
    this.#status.stop();
    this.#files.end();
    await this.#screen.end();
    await this.#history.flushed();
  }
}
