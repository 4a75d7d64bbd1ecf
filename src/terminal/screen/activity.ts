import type { AgentHappening } from '../../contract/event.js';
import type { Todo } from '../../contract/todo.js';
import { SpinnerView } from '../views/spinner-view.js';
import { TodoView } from '../views/todo-view.js';
import type { Screen } from './screen.js';
import type { Theme } from './theme.js';

export interface ActivityOptions {
  now(): number;
  todos(): readonly Todo[] | undefined;
  /** The hint about what the user can do meanwhile. */
  hint: string;
}

/** The lines above the editor while the model works: the spinner and the todo list. */
export class Activity {
  readonly #screen: Screen;
  readonly #options: ActivityOptions;
  readonly #spinner: SpinnerView;
  readonly #todos: TodoView;
  /** The user's choice; by default the list is shown while it is being worked on. */
  #showsTodos: boolean | undefined;
  #timer: NodeJS.Timeout | undefined;
  #tokens = { input: 0, output: 0 };

  constructor(screen: Screen, theme: Theme, options: ActivityOptions) {
    this.#screen = screen;
    this.#options = options;
    this.#spinner = new SpinnerView(theme, options);
    this.#todos = new TodoView(theme);
    screen.addLive({
      render: (width) => {
        if (screen.hasDialog) return ['']; // it is waiting for the user
        const parts = [this.#shownTodos(width), this.#spinner.render(width)].filter((lines) => lines.length > 0);
        return parts.length === 0 ? [''] : parts.flatMap((lines) => ['', ...lines]);
      },
      invalidate: () => {},
    });
  }

  begin(label = 'Working'): void {
    if (this.#timer) return;
    this.#tokens = { input: 0, output: 0 };
    this.#spinner.start({ label, hint: this.#options.hint });
    this.#timer = setInterval(() => this.#screen.draw(), SpinnerView.frameMs);
    this.#timer.unref();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#spinner.stop();
    this.#screen.draw();
  }

  toggleTodos(): void {
    this.#showsTodos = !this.#isShowingTodos;
    this.#screen.draw();
  }

  take(event: AgentHappening): void {
    if (event.type === 'thinking_delta') this.#spinner.update({ label: 'Thinking' });
    else if (event.type === 'text_delta') this.#spinner.update({ label: 'Writing' });
    else if (event.type === 'turn_start' || event.type === 'tool_start') this.#spinner.update({ label: this.#label() });
    else if (event.type === 'turn_end') {
      const { input_tokens, output_tokens, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = event.usage;
      this.#tokens.input += input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
      this.#tokens.output += output_tokens;
      this.#spinner.update({ inputTokens: this.#tokens.input, outputTokens: this.#tokens.output });
    }
  }

  #label(): string {
    return this.#options.todos()?.find(({ status }) => status === 'in_progress')?.activeForm ?? 'Working';
  }

  get #isShowingTodos(): boolean {
    return this.#showsTodos ?? (this.#spinner.isRunning && !this.#todos.isDone);
  }

  #shownTodos(width: number): string[] {
    this.#todos.setTodos(this.#options.todos() ?? []);
    return this.#isShowingTodos ? this.#todos.render(width) : [];
  }
}
