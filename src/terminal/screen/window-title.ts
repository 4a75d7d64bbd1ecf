// The title of the terminal's window or tab: the task, and whether Helve works, asks or is done.

export type TitleState = 'idle' | 'working' | 'asking' | 'done' | 'failed';

export interface WindowTitleOptions {
  write(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
  /** Shown until there is a task. */
  folder: string;
}

const MAX_TASK_CHARS = 50;
const signs: Readonly<Record<TitleState, string>> = { idle: '', working: '● ', asking: '? ', done: '✓ ', failed: '✗ ' };

/** `HELVE_TITLE=off` leaves the title alone. */
export class WindowTitle {
  readonly #options: WindowTitleOptions;
  readonly #isOff: boolean;
  #isOn = false;
  #state: TitleState = 'idle';
  #task: string | undefined;
  #shown: string | undefined;

  constructor(options: WindowTitleOptions) {
    this.#options = options;
    this.#isOff = options.env['HELVE_TITLE'] === 'off' || options.env['TERM'] === 'linux'; // the console has no title
  }

  /** Saves the title that the terminal has, and shows ours. */
  start(): void {
    if (this.#isOff || this.#isOn) return;
    this.#isOn = true;
    this.#options.write('\u001b[22;0t');
    this.#draw();
  }

  /** Brings the saved title back. May be called repeatedly. */
  stop(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#shown = undefined;
    // Terminals that keep no titles would keep ours: an empty one makes most of them show their own.
    this.#options.write('\u001b]2;\u0007\u001b[23;0t');
  }

  /** What is being done, usually the prompt; only its first line is shown. */
  set task(text: string) {
    this.#task = text;
    this.#draw();
  }

  set state(state: TitleState) {
    this.#state = state;
    this.#draw();
  }

  #draw(): void {
    if (!this.#isOn) return;
    // Control characters would end the sequence, and with it start another one.
    const [line = ''] = (this.#task ?? this.#options.folder).trim().split('\n', 1);
    const words = line.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
    const short = words.length > MAX_TASK_CHARS ? `${words.slice(0, MAX_TASK_CHARS - 1).trimEnd()}…` : words;
    const title = `${signs[this.#state]}helve · ${short}`;
    if (title === this.#shown) return;
    this.#shown = title;
    this.#options.write(`\u001b]2;${title}\u0007`);
  }
}
