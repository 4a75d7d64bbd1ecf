import { createInterface, type Interface } from 'node:readline';

export interface PlainInputOptions {
  /** A line that answers no question. */
  onLine(line: string): void;
  /** The input has ended. */
  onEnd(): void;
  /** Ctrl-C. */
  onInterrupt(): void;
  /** A question has its answer, or was withdrawn. */
  onAnswer(): void;
}

/** Reads typed lines. A question takes the next line. */
export class PlainInput {
  readonly #lines: Interface;
  /** Questions waiting for the next line. */
  #asked: Array<(line: string) => void> = [];
  #isSecret = false;
  readonly #onAnswer: () => void;

  constructor({ onLine, onEnd, onInterrupt, onAnswer }: PlainInputOptions) {
    this.#onAnswer = onAnswer;
    const output: NodeJS.WriteStream = Object.create(process.stdout, {
      write: { value: (text: string) => this.#isSecret || process.stdout.write(text) },
    });
    this.#lines = createInterface({ input: process.stdin, output, prompt: '> ' });
    this.#lines.on('line', (line) => {
      const asked = this.#asked.shift();
      if (asked) asked(line);
      else onLine(line);
    });
    this.#lines.on('close', onEnd);
    this.#lines.on('SIGINT', onInterrupt);
  }

  /** A question waits for its line. */
  get isAsking(): boolean {
    return this.#asked.length > 0;
  }

  prompt(): void {
    if (this.#asked.length === 0) this.#lines.prompt();
  }

  /** Inserts text into the line that is being typed. */
  edit(draft: string): void {
    this.prompt();
    this.#lines.write(draft);
  }

  close(): void {
    this.#lines.close();
  }

  /** A secret is not echoed. */
  async ask(
    words: string,
    { signal, isSecret = false }: { signal?: AbortSignal | undefined; isSecret?: boolean } = {},
  ) {
    signal?.throwIfAborted();
    process.stdout.write(words);
    this.#isSecret = isSecret;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#asked.push(resolve);
    try {
      return (await promise).trim();
    } finally {
      if (isSecret) process.stdout.write('\n');
      this.#isSecret = false;
      this.#asked = this.#asked.filter((other) => other !== resolve);
      signal?.removeEventListener('abort', onAbort);
      this.#onAnswer();
    }
  }
}
