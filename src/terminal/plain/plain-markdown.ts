// Markdown as it is read aloud: its words without its marks.

const FENCE = /^ {0,3}(?:```|~~~)/;
const MAX_MARKED = 2_000; // characters of a line: a longer one is data

/** Text that arrives in pieces: each line is passed on once it is complete. */
export class PlainMarkdown {
  #line = '';
  #isCode = false;
  /** A line that may be the header of a table: the next one shows it. */
  #header: string | undefined;
  /** The names of the columns of the table that is being read. */
  #columns: readonly string[] | undefined;

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
    const read = `${rest === '' ? '' : this.#read(rest)}${this.#headerLine()}`.replace(/\n$/, '');
    this.#isCode = false;
    this.#columns = undefined;
    return read;
  }

  #read(line: string): string {
    if (FENCE.test(line)) {
      this.#isCode = !this.#isCode;
      this.#columns = undefined;
      return this.#headerLine();
    }
    if (this.#isCode || line.length > MAX_MARKED) return `${this.#headerLine()}${line}\n`;
    if (this.#header !== undefined && DIVIDER.test(line)) {
      this.#columns = cellsOf(this.#header);
      this.#header = undefined;
      return '';
    }
    const before = this.#headerLine();
    if (!ROW.test(line)) {
      this.#columns = undefined;
      return `${before}${withoutMarks(line)}\n`;
    }
    if (this.#columns) return `${namedCells(this.#columns, cellsOf(line))}\n`;
    this.#header = line;
    return before;
  }

  /** The line that was held back, which is no header. */
  #headerLine(): string {
    const line = this.#header;
    this.#header = undefined;
    return line === undefined ? '' : `${withoutMarks(line)}\n`;
  }
}

const ROW = /^ {0,3}\|.*\|\s*$/;
const DIVIDER = /^ {0,3}\|[ :|]*-[ :|-]*\|\s*$/;

const cellsOf = (row: string): string[] => {
  const [, ...cells] = row.trim().split(/(?<!\\)\|/);
  return cells.slice(0, -1).map((cell) => withoutMarks(cell.trim()));
};

/** A row of a table as it is read aloud: each cell behind the name of its column. */
const namedCells = (names: readonly string[], cells: readonly string[]): string =>
  cells
    .map((cell, index) => (names[index] ? `${names[index]}: ${cell}` : cell))
    .filter((words) => words !== '')
    .join('; ');

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
