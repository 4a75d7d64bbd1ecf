import type { AgentHappening } from '../../contract/event.js';
import type { Todo } from '../../contract/todo.js';
import type { Tool } from '../../contract/tool.js';
import type { KeyBindings } from '../input/key-bindings.js';
import type { OpenedSession } from '../session/opened-session.js';
import { cleanLine, cut, wrap } from '../views/fit.js';
import { SpinnerView } from '../views/spinner-view.js';
import { TodoView } from '../views/todo-view.js';
import { CurrentStep, familyOf } from './current-step.js';
import { RetryLine } from './retry-line.js';
import type { Screen } from './screen.js';
import type { Theme } from './theme.js';

const BACKGROUND_HINT_MS = 3_000; // shorter commands need no hint

/** The session, as far as it is shown here. */
export interface ActiveSession {
  readonly model: string | undefined;
  readonly engine: {
    readonly session: Pick<OpenedSession['engine']['session'], 'todos' | 'canMoveToBackground'> & {
      readonly tools: { find(name: string): Tool | undefined };
    };
  };
}

export interface ActivityOptions {
  now(): number;
  session(): ActiveSession | undefined;
  keys(): Pick<KeyBindings, 'hint'>;
  /** A notice for the transcript. */
  note(sentence: string): void;
}

/** The lines above the editor while the model works: the spinner or a retry, and the todo list. */
export class Activity {
  readonly #screen: Screen;
  readonly #theme: Theme;
  readonly #options: ActivityOptions;
  readonly #spinner: SpinnerView;
  readonly #todos: TodoView;
  readonly #step: CurrentStep;
  readonly #retry: RetryLine;
  /** The list when this prompt began: until it is written again, it belongs to an earlier prompt. */
  #earlierTodos: readonly Todo[] | undefined;
  /** The user's choice; by default the list is shown while it is being worked on. */
  #showsTodos: boolean | undefined;
  #timer: NodeJS.Timeout | undefined;
  #tokens = { input: 0, output: 0 };
  #label = 'Thinking';
  #commandSince: number | undefined;

  constructor(screen: Screen, theme: Theme, options: ActivityOptions) {
    this.#screen = screen;
    this.#theme = theme;
    this.#options = options;
    this.#spinner = new SpinnerView(theme, options);
    this.#todos = new TodoView(theme);
    this.#step = new CurrentStep({ familyOf: (tool) => familyOf(options.session()?.engine.session.tools.find(tool)) });
    this.#retry = new RetryLine({ now: options.now, model: () => options.session()?.model });
    screen.addLive({
      render: (width) => {
        this.#spinner.pauseWhile(screen.hasDialog);
        if (screen.hasDialog) return ['']; // it is waiting for the user
        const parts = [this.#shownTodos(width), this.#shownSpinner(width)].filter((lines) => lines.length > 0);
        return parts.length === 0 ? [''] : parts.flatMap((lines) => ['', ...lines]);
      },
      invalidate: () => {},
    });
  }

  get isShown(): boolean {
    return this.#spinner.isRunning || this.#isShowingTodos;
  }

  begin(label = 'Thinking'): void {
    if (this.#timer) return;
    this.#tokens = { input: 0, output: 0 };
    this.#label = label;
    this.#step.begin();
    this.#spinner.start({ label });
    this.#timer = setInterval(() => this.#screen.draw(), SpinnerView.frameMs);
    this.#timer.unref();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#spinner.stop();
    this.#screen.draw();
  }

  /** Shows the label until the work has ended, in either way. */
  during(label: string, work: Promise<unknown>, then: () => void): void {
    this.begin(label);
    const end = (): void => {
      this.end();
      then();
    };
    work.then(end, end);
  }

  toggleTodos(): void {
    this.#showsTodos = !this.#isShowingTodos;
    this.#screen.draw();
  }

  take(event: AgentHappening): void {
    const notice = this.#retry.take(event);
    if (notice !== undefined) this.#options.note(notice);
    this.#step.take(event);
    this.#commandSince = this.#step.runsCommand ? (this.#commandSince ?? this.#options.now()) : undefined;
    if (event.type === 'session_start') this.#earlierTodos = this.#allTodos;
    if (event.type === 'turn_end') {
      const { input_tokens, output_tokens, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = event.usage;
      this.#tokens.input += input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
      this.#tokens.output += output_tokens;
      this.#spinner.update({ inputTokens: this.#tokens.input, outputTokens: this.#tokens.output });
    }
  }

  get #allTodos(): readonly Todo[] | undefined {
    return this.#options.session()?.engine.session.todos;
  }

  /** The list, if the model has written it for this prompt. */
  get #currentTodos(): readonly Todo[] {
    const todos = this.#allTodos;
    return todos === undefined || todos === this.#earlierTodos ? [] : todos;
  }

  get #isShowingTodos(): boolean {
    if (this.#showsTodos !== undefined) return this.#showsTodos;
    return this.#spinner.isRunning && this.#currentTodos.some(({ status }) => status !== 'completed');
  }

  #shownTodos(width: number): string[] {
    if (!this.#isShowingTodos) return [];
    this.#todos.setTodos(this.#allTodos ?? []);
    return this.#todos.render(width);
  }

  #shownSpinner(width: number): string[] {
    if (!this.#spinner.isRunning) return [];
    const keys = this.#options.keys();
    const interrupt = keys.hint('interrupt');
    const retry = this.#retry.words;
    if (retry !== undefined) {
      const { paint } = this.#theme;
      // A long reason is cut at its end: the countdown and the key stay.
      const line = `${paint.warning('↻')} ${retry.when} ${paint.muted(`· ${interrupt} to stop ·`)} ${cleanLine(retry.why)}`;
      const [first = '', ...others] = wrap(line, width, '  ');
      return others.length === 0 ? [first] : [first, cut(`  ${others.map((row) => row.trim()).join(' ')}`, width)];
    }
    const active = this.#currentTodos.find(({ status }) => status === 'in_progress')?.activeForm;
    const canMove =
      this.#commandSince !== undefined &&
      this.#options.now() - this.#commandSince >= BACKGROUND_HINT_MS &&
      this.#options.session()?.engine.session.canMoveToBackground === true;
    this.#spinner.update({
      label: this.#step.words ?? active ?? this.#label,
      hint: [`${interrupt} to stop`, ...(canMove ? [`${keys.hint('background')} to run in the background`] : [])].join(
        ' · ',
      ),
    });
    return this.#spinner.render(width);
  }
}
