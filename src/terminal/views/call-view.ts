import { type Component, visibleWidth } from '@earendil-works/pi-tui';
import type { FailureKind } from '../../contract/failure.js';
import type { DisplayBody, ToolDisplay } from '../../contract/tool.js';
import { counted } from '../../platform/text/counted.js';
import type { Theme } from '../screen/theme.js';
import { bodyLines } from './body-lines.js';
import { patchCounts } from './diff-view.js';
import { cleanLine, cut, shortTime, spread, wrap } from './fit.js';
import { outputLines } from './output-lines.js';

const TELL_TIME_MS = 2_000; // a shorter time would only flicker
const TAIL_LINES = 5;
const INDENT = '    ';
const MAX_TITLE_CHARS = 2_000;

/** The stage of a call. */
export type CallState = 'input' | 'waiting' | 'asking' | 'running' | 'done' | 'failed' | 'denied' | 'interrupted';

export interface CallEnd {
  display: ToolDisplay;
  /** Undefined if the call succeeded. */
  failure?: FailureKind | undefined;
  /** What went wrong, if it failed. */
  problem?: string | undefined;
}

/** One call from the first character of its input to its result, drawn from its tool's displays. */
export class CallView implements Component {
  readonly #theme: Theme;
  readonly #tool: string;
  readonly #now: () => number;
  #state: CallState = 'input';
  #display: ToolDisplay = { title: '' };
  #problem: string | undefined;
  #progress = '';
  #startedAt: number | undefined;
  #isExpanded = false;
  #drawn: { width: number; lines: string[] } | undefined;

  /** `now` returns milliseconds from a monotonic clock. */
  constructor(theme: Theme, { tool, now }: { tool: string; now: () => number }) {
    this.#theme = theme;
    this.#tool = tool;
    this.#now = now;
  }

  get state(): CallState {
    return this.#state;
  }

  get isOver(): boolean {
    return isEnd(this.#state);
  }

  /** Shows the tool's display of the input, even while it is streaming. */
  showInput(display: ToolDisplay): void {
    if (!this.isOver) this.#display = display;
  }

  /** The input is complete, and earlier calls run first. A question about it may already be open. */
  wait(): void {
    if (this.#state === 'input') this.#goTo('waiting');
  }

  /** The user is being asked. */
  ask(): void {
    this.#goTo('asking');
  }

  /** The call runs. */
  start(): void {
    this.#goTo('running');
    this.#startedAt = this.#now();
  }

  /** Shows the last lines of progress. */
  showProgress(text: string): void {
    this.#progress = text;
  }

  end({ display, failure, problem }: CallEnd): void {
    this.#goTo(endOf(failure));
    this.#display = display;
    this.#problem = problem;
    this.#progress = '';
  }

  /** Whether all of it is shown. */
  get isExpanded(): boolean {
    return this.#isExpanded;
  }

  set isExpanded(value: boolean) {
    this.#isExpanded = value;
    this.#drawn = undefined;
  }

  invalidate(): void {
    this.#drawn = undefined;
  }

  render(width: number): string[] {
    if (this.#drawn?.width === width) return this.#drawn.lines;
    if (this.#display.body?.type === 'todos' && !this.#isExpanded && !isFailed(this.#state)) return []; // above the editor
    const lines = [...this.#head(width), ...this.#body(width)];
    if (this.isOver) this.#drawn = { width, lines };
    return lines;
  }

  #goTo(state: CallState): void {
    if (!this.isOver) this.#state = state;
  }

  #head(width: number): string[] {
    const { paint } = this.#theme;
    const name = `${paint[roles[this.#state]](signs[this.#state])} ${paint.strong(cleanLine(this.#tool))}`;
    const title = cleanLine(this.#display.title.slice(0, MAX_TITLE_CHARS));
    const aside = this.#aside();
    const left = title === '' ? name : `${name} ${title}`;
    const fits = visibleWidth(left) + visibleWidth(aside) < width;
    if (this.#isExpanded && !fits)
      return [...wrap(left, width, '  '), ...(aside === '' ? [] : [`  ${paint.muted(cut(aside, width - 2))}`])];
    return [aside === '' ? cut(left, width) : spread(left, paint.muted(aside), width)];
  }

  /** The text at the right edge: the state if no symbol shows it, facts, the size of a change, and the time so far. */
  #aside(): string {
    const parts: string[] = [];
    const word = this.#isFailedCommand ? this.#problem : words[this.#state];
    if (word) parts.push(word);
    const { body, facts = [] } = this.#display;
    parts.push(...facts.map(cleanLine));
    if (this.#state === 'done' && body?.type === 'diff') {
      const { added, removed, isNew } = patchCounts(body.patch);
      if (isNew) parts.push('created', counted(added, 'line'));
      else if (added + removed > 0) parts.push(`+${added} -${removed}`);
    }
    const elapsed = this.#startedAt === undefined || this.isOver ? 0 : this.#now() - this.#startedAt;
    if (elapsed >= TELL_TIME_MS) parts.push(shortTime(elapsed));
    return parts.join(' · ');
  }

  #body(width: number): string[] {
    if (this.#state === 'asking') return []; // the question shows all of it
    const room = Math.max(1, width - INDENT.length);
    const end = this.#state === 'done' ? 'first' : 'last';
    if (this.#state === 'running' && this.#progress !== '') {
      const { lines } = outputLines(this.#theme, this.#progress, room, { lines: TAIL_LINES, end: 'last' });
      return lines.map((line) => `${INDENT}${this.#theme.paint.muted(line)}`);
    }
    const body = this.#shownBody();
    if (!body) return [];
    if (body.type === 'todos' && !this.#isExpanded) return []; // the list is shown above the editor
    const { lines, hidden } = bodyLines(this.#theme, body, room, { isExpanded: this.#isExpanded, end });
    const isLast = end === 'last' && (body.type === 'text' || body.type === 'output');
    const more = hidden === 0 ? [] : [this.#theme.paint.muted(cut(this.#more(hidden), room))];
    return (isLast ? [...more, ...lines] : [...lines, ...more]).map((line) => `${INDENT}${line}`);
  }

  /** The output of a command that ran and failed; its problem is short and stands beside its title. */
  get #isFailedCommand(): boolean {
    return this.#problem !== undefined && this.#display.body?.type === 'output';
  }

  /** The problem, if the call failed. */
  #shownBody(): DisplayBody | undefined {
    if (this.#problem === undefined || this.#isFailedCommand) return this.#display.body;
    return { type: 'text', text: this.#problem };
  }

  #more(hidden: number): string {
    return `… ${counted(hidden, 'more line')}${this.#isExpanded ? '' : ' (ctrl+o)'}`;
  }
}

const isFailed = (state: CallState): boolean => state === 'failed' || state === 'denied' || state === 'interrupted';

const isEnd = (state: CallState): boolean =>
  state === 'done' || state === 'failed' || state === 'denied' || state === 'interrupted';

function endOf(failure: FailureKind | undefined): CallState {
  if (failure === undefined) return 'done';
  if (failure === 'permission_denied') return 'denied';
  return failure === 'interrupted' ? 'interrupted' : 'failed';
}

const signs: Readonly<Record<CallState, string>> = {
  input: '○',
  waiting: '○',
  asking: '?',
  running: '●',
  done: '✓',
  failed: '✗',
  denied: '⊘',
  interrupted: '■',
};

const roles = {
  input: 'muted',
  waiting: 'muted',
  asking: 'warning',
  running: 'accent',
  done: 'success',
  failed: 'failure',
  denied: 'failure',
  interrupted: 'warning',
} as const;

const words: Readonly<Partial<Record<CallState, string>>> = {
  input: '…',
  waiting: 'waiting',
  asking: 'asks',
  failed: 'failed',
  denied: 'denied',
  interrupted: 'interrupted',
};
