// Markdown as it is read aloud: its words without its marks.

const FENCE = /^ {0,3}(?:```|~~~)/;
const MAX_MARKED = 2_000; // characters of a line: a longer one is data

/** Text that arrives in pieces: each line is passed on once it is complete. */
export class PlainMarkdown {
  #line = '';
  #isCode = false;

  /** The lines that are complete now. */
  push(text: string): string {
    const lines = `${this.#line}${text}`.split('\n');
    this.#line = lines.pop() ?? '';
    return lines.map((line) => this.#read(line)).join('');
  }

  /** The rest: the text has ended. */
  flush(): string {
    const rest = this.#line;
    this.#line = '';
    const read = rest === '' ? '' : this.#read(rest).replace(/\n$/, '');
    this.#isCode = false;
    return read;
  }

  #read(line: string): string {
    if (FENCE.test(line)) {
      this.#isCode = !this.#isCode;
      return '';
    }
    return `${this.#isCode || line.length > MAX_MARKED ? line : withoutMarks(line)}\n`;
  }
}

const withoutMarks = (line: string): string =>
  line
    .replace(/^ {0,3}#{1,6} +/, '')
    .replace(
      /^(\s*(?:[-*+]|\d+\.) +)\[([ xX])\] /,
      (_, item: string, mark: string) => `${item}${mark === ' ' ? 'to do' : 'done'}: `,
    )
    .split(/(`[^`]*`)/) // what is in backticks is no Markdown
    .map((part) => (part.startsWith('`') && part.length > 1 ? part.slice(1, -1) : inline(part)))
    .join('');

const inline = (text: string): string =>
  text
    .replace(/\[([^[\]]+)\]\(([^()\s]+)\)/g, (_, label: string, address: string) =>
      label === address ? address : `${label} (${address})`,
    )
    .replace(/(\*\*|__)(?=\S)([^*_]*\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*]*[^\s*])\*(?![\w*])/g, '$1');
