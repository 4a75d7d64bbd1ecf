import { Input, matchesKey } from '@earendil-works/pi-tui';

/** A single-line text input. */
export class TextField {
  readonly #input: Input;
  readonly #isSecret: boolean;
  #done: { submitted: string } | { left: true } | undefined;

  constructor({ text = '', isSecret = false }: { text?: string; isSecret?: boolean } = {}) {
    this.#input = new Input({ prompt: '❯ ' });
    this.#isSecret = isSecret;
    this.#input.onSubmit = (value) => {
      this.#done = { submitted: value };
    };
    this.#input.onEscape = () => {
      this.#done = { left: true };
    };
    this.#input.setValue(text);
    this.#input.handleInput(END); // starts at the end, where text is added or deleted
  }

  get text(): string {
    return this.#input.getValue();
  }

  get focused(): boolean {
    return this.#input.focused;
  }

  set focused(value: boolean) {
    this.#input.focused = value;
  }

  /** What the key did to the field, if anything. */
  handle(data: string): { submitted: string } | { left: true } | undefined {
    this.#done = undefined;
    // Escape always cancels, with any key bindings: there must be a way out.
    if (matchesKey(data, 'escape')) return { left: true };
    this.#input.handleInput(data);
    return this.#done;
  }

  render(width: number): string[] {
    if (!this.#isSecret) return this.#input.render(width);
    return [`❯ ${'•'.repeat(Math.min([...this.text].length, Math.max(0, width - 4)))}▏`];
  }
}

const END = '\u001b[F';
