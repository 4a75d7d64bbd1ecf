import { textCallsNotice } from '../../agent/text-calls-notice.js';
import type { AgentEvent } from '../../contract/event.js';
import type { DisplayBody, ToolDisplay } from '../../contract/tool.js';
import { compactionNotice } from '../../display/compaction-notice.js';
import { endText } from '../../display/end-text.js';
import { visible } from '../../platform/text/visible.js';
import { retryReason } from '../screen/retry-line.js';
import { PlainMarkdown } from './plain-markdown.js';
import { RepeatedWords } from './repeated-words.js';
import { WordWrap } from './word-wrap.js';

const MAX_BODY_LINES = 12;

export interface PlainLinesOptions {
  /** The model's text is Markdown: it is written without its marks, a line at a time. */
  readsMarkdown?: boolean;
  write(text: string): void;
  color: boolean;
  /** Makes paths short. */
  shorten?: (text: string) => string;
  /** The model's text is wrapped at words to this width. Default: the terminal wraps it. */
  columns?: number;
}

/** Prints a conversation as plain lines, top to bottom, for pipes and for terminals that should not be repainted. */
export class PlainLines {
  readonly #write: (text: string) => void;
  readonly #paint: Paint;
  /** Whether the cursor is in the middle of a line of the model's text. */
  #midLine = false;
  /** Lines that wait until the model's line is complete. */
  readonly #held: string[] = [];
  readonly #repeated = new RepeatedWords();
  readonly #wrap: WordWrap;
  readonly #shorten: (text: string) => string;
  readonly #markdown: PlainMarkdown | undefined;

  constructor(options: PlainLinesOptions) {
    const { write, color, columns = Number.POSITIVE_INFINITY, readsMarkdown = false, shorten = asIs } = options;
    this.#shorten = shorten;
    this.#markdown = readsMarkdown ? new PlainMarkdown() : undefined;
    this.#write = write;
    this.#wrap = new WordWrap(columns);
    this.#paint = color ? colors : noColors;
  }

  draw(event: AgentEvent): void {
    switch (event.type) {
      case 'turn_start':
        this.#repeated.begin();
        return;
      case 'text_delta':
        this.#sayNew(event.text);
        return;
      case 'notice':
        this.aside(`  ! ${visible(event.text)}`);
        return;
      case 'text_calls':
        this.aside(`  · ${visible(textCallsNotice(event))}`);
        return;
      case 'compaction':
        this.line(`  · ${compactionNotice(event)}`);
        return;
      case 'model_retry':
        this.line(
          `  … Retrying in ${Math.ceil(event.waitMs / 1000)} s (${event.attempt} of ${event.maxRetries}): ${visible(retryReason(event.reason))}`,
        );
        return;
      case 'answer_restart':
        this.#repeated.restart();
        return;
      case 'tool_call':
        this.#sayOther(this.#repeated.end());
        this.line(
          `${this.#paint.bold(`● ${visible(event.display.action ?? event.tool)}`)} ${visible(firstLine(this.#shorten(event.display.title)))}`,
        );
        return;
      case 'tool_result': {
        const { display, result, problem = '' } = event;
        const { body, facts = [] } = display;
        const failed = result.is_error === true;
        const mark = failed ? this.#paint.red('✗') : this.#paint.green('✓');
        const title = firstLine(this.#shorten(failed ? problem : display.title));
        this.line(
          `  ${mark} ${visible(display.action ?? event.tool)} ${this.#paint.dim(visible([title, ...facts].join(' · ')))}`,
        );
        if (!failed) this.#lines(capped(asLines(body), MAX_BODY_LINES), body);
        else this.#lines(capped([...rest(problem), ...outputOf(body)], MAX_BODY_LINES), undefined);
        return;
      }
      case 'result':
        if (event.outcome !== 'completed') this.line(`  ! ${visible(endText(event))}`);
        return;
      case 'turn_end':
        this.#sayOther(this.#repeated.end());
        this.line('');
        return;
      default:
        return;
    }
  }

  /** The subject of a question: the change, the command, the plan. The headline may name it already. */
  subject({ title, body }: ToolDisplay, headline: string): void {
    const lines = asLines(body);
    const isTold = headline.includes(title) || lines.join('\n').startsWith(title.replace(/ …$/, ''));
    this.#lines(isTold ? [] : [this.#shorten(title)], undefined);
    this.#lines(lines, body);
  }

  #sayNew(piece: string): void {
    const { text, isOther } = this.#repeated.take(piece);
    if (isOther) this.#sayOther(text);
    else this.#sayText(text);
  }

  #sayOther(text: string): void {
    if (text === '') return;
    this.line('  … The answer was cut off and starts over.');
    this.#sayText(text);
  }

  #sayText(text: string): void {
    this.#say(this.#markdown ? this.#markdown.push(text) : text);
  }

  #say(text: string): void {
    const end = this.#held.length === 0 ? 0 : text.indexOf('\n') + 1;
    if (end > 0) {
      this.#write(`${this.#wrap.push(visible(text.slice(0, end)))}`);
      this.#midLine = false;
      this.#writeHeld();
    }
    const rest = text.slice(end);
    if (rest === '') return;
    this.#write(this.#wrap.push(visible(rest)));
    this.#midLine = !rest.endsWith('\n');
  }

  /** A line that does not belong to the model's text: it waits until the line that is being written is complete. */
  aside(text: string): void {
    this.#held.push(text);
    if (!this.#midLine) this.#writeHeld();
  }

  #writeHeld(): void {
    for (const text of this.#held.splice(0)) this.#write(`${text}\n`);
  }

  line(text: string): void {
    if (this.#markdown) this.#say(this.#markdown.flush());
    const rest = this.#wrap.flush();
    this.#write(`${rest}${this.#midLine ? '\n' : ''}`);
    this.#midLine = false;
    this.#writeHeld();
    this.#write(`${text}\n`);
  }

  /** Writes what is held back until the next line. */
  end(): void {
    if (this.#markdown) this.#say(this.#markdown.flush());
    const rest = this.#wrap.flush();
    this.#write(`${rest}${this.#midLine ? '\n' : ''}`);
    this.#midLine = false;
    this.#writeHeld();
  }

  #lines(lines: readonly string[], body: DisplayBody | undefined): void {
    for (const text of lines) this.line(`    ${this.#paintDiff(visible(text), body)}`);
  }

  #paintDiff(text: string, body: DisplayBody | undefined): string {
    if (body?.type !== 'diff') return this.#paint.dim(text);
    if (text.startsWith('+')) return this.#paint.green(text);
    return text.startsWith('-') ? this.#paint.red(text) : this.#paint.dim(text);
  }
}

function asLines(body: DisplayBody | undefined): string[] {
  if (!body) return [];
  if (body.type === 'list') return [...body.items];
  if (body.type === 'todos') return body.items.map(({ content, status }) => `${todoMarks[status]} ${content}`);
  // The patch's header names the file, which is already in the title.
  if (body.type === 'diff') {
    const lines = splitLines(body.patch.slice(Math.max(0, body.patch.indexOf('@@'))));
    return lines.map((line) => line.replace(HUNK, 'At line $1:'));
  }
  return splitLines(body.text);
}

/** Where a part of a patch begins; a person need not know its length. */
const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

const todoMarks = { pending: '☐', in_progress: '▶', completed: '☑' } as const;

const splitLines = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

function capped(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `… ${lines.length - most} more lines`];
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

const rest = (text: string): string[] => splitLines(text.slice(firstLine(text).length + 1));

/** What a failed command wrote; other bodies of a failed call show what was not done. */
const outputOf = (body: DisplayBody | undefined): string[] => (body?.type === 'output' ? asLines(body) : []);

type Paint = Record<'bold' | 'dim' | 'green' | 'red', (text: string) => string>;

const code = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`;
const colors: Paint = { bold: code(1, 22), dim: code(2, 22), green: code(32, 39), red: code(31, 39) };
const asIs = (text: string): string => text;
const noColors: Paint = { bold: asIs, dim: asIs, green: asIs, red: asIs };
