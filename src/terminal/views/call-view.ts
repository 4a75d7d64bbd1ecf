import { type Component, stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui';
import type { FailureKind } from '../../contract/failure.js';
import type { ToolDisplay } from '../../contract/tool.js';
import {
  asPhrase,
  type CallState,
  callFacts,
  callRoles,
  callSigns,
  callStateWords,
  callTitle,
  endStateOf,
  hasCallFailed,
  isCallOver,
  isRefusedText,
  problemLines,
  problemRole,
  type ShownCall,
  showsFailedBody,
  writtenByWords,
} from '../../display/call-words.js';
import { counted } from '../../platform/text/counted.js';
import { shortTime } from '../../platform/text/short-amounts.js';
import type { Theme } from '../screen/theme.js';
import { bodyLines } from './body-lines.js';
import { cleanLine, cut, wrap } from './fit.js';
import { outputLines } from './output-lines.js';

const TELL_TIME_MS = 2_000; // a shorter time would only flicker
const TAIL_LINES = 5;
const MAX_PROBLEM_LINES = 5;
const INDENT = '  ';

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
  #isOwn = false;
  #isInPanel = false;
  #isQuestion = false;
  #wasAsked = false;
  /** How the command that it left in the background has ended. */
  #backgroundEnd: 'done' | 'failed' | undefined;
  readonly #shorten: (text: string) => string;
  #drawn: { width: number; lines: string[] } | undefined;

  /** `now` returns milliseconds from a monotonic clock; `shorten` abbreviates paths in what is shown. */
  constructor(
    theme: Theme,
    { tool, now, shorten = (text) => text }: { tool: string; now: () => number; shorten?: (text: string) => string },
  ) {
    this.#theme = theme;
    this.#tool = tool;
    this.#now = now;
    this.#shorten = shorten;
  }

  /** The user made this call themselves. */
  own(): void {
    this.#isOwn = true;
  }

  get isOwn(): boolean {
    return this.#isOwn;
  }

  /** The display as it is now, for views that draw several calls as one line. */
  get display(): ToolDisplay {
    return this.#display;
  }

  get state(): CallState {
    return this.#state;
  }

  /** Why it was not run, if an earlier refusal stopped it. */
  get notRunReason(): string | undefined {
    if (this.#state !== 'denied' || this.#display.notRun !== true || this.#problem === undefined) return undefined;
    return asPhrase(this.#problem);
  }

  get isOver(): boolean {
    return isCallOver(this.#state);
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
    this.#wasAsked = true;
    this.#goTo('asking');
  }

  /** It asks the user itself while it runs. */
  question(): void {
    this.#isQuestion = true;
  }

  /** Its child agents are shown in the panel above the editor until it ends. */
  showInPanel(): void {
    this.#isInPanel = true;
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
    this.#goTo(this.#isQuestion && failure === 'interrupted' ? 'unanswered' : endStateOf(failure));
    this.#display = display;
    this.#problem = this.#state === 'unanswered' ? undefined : problem;
    this.#progress = '';
  }

  /** The command that it left in the background has ended. */
  endBackground(hasFailed: boolean): void {
    this.#backgroundEnd = hasFailed ? 'failed' : 'done';
    this.#drawn = undefined;
  }

  /** While its command continues in the background, it counts as running. */
  get #shownState(): CallState {
    if (this.#state !== 'done' || this.#display.background === undefined) return this.#state;
    return this.#backgroundEnd ?? 'running';
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
    const lines = this.#isElsewhere ? [] : [...this.#head(width), ...this.#body(width)];
    if (this.isOver) this.#drawn = { width, lines };
    return lines;
  }

  #goTo(state: CallState): void {
    if (!this.isOver) this.#state = state;
  }

  #head(width: number): string[] {
    const { paint } = this.#theme;
    const state = this.#shownState;
    const sign = paint[callRoles[state]](callSigns[state]);
    const { action, title } = callTitle(this.#facts);
    const name = `${sign} ${paint.strong(cleanLine(action))}`;
    const left = title === '' ? name : `${name} ${cleanLine(title)}`;
    const [problem = '', ...more] = problemLines(this.#facts).map(cleanLine);
    const aside = this.#aside(problem);
    const columns = visibleWidth(aside);
    const fits = visibleWidth(left) + columns + 2 <= width;
    if (problem !== '' && (more.length > 0 || (!fits && columns > width / 2))) {
      return this.#wrapped(`${this.#isExpanded ? left : cut(left, Math.ceil(width / 2))}  ${aside}`, more, width);
    }
    if (columns === 0) return this.#isExpanded ? wrap(left, width, '  ') : [cut(left, width)];
    if (this.#isExpanded && !fits) return [...wrap(left, width, '  '), `  ${cut(aside, width - 2)}`];
    // A long title gives way to the facts, which say how it went.
    const room = width - Math.min(columns, Math.floor(width / 2)) - 2;
    return [cut(`${cut(left, Math.max(room, 8))}  ${aside}`, width)];
  }

  /** The reason of a failure always stands behind the title, and wraps if it is long. */
  #wrapped(head: string, more: readonly string[], width: number): string[] {
    const { paint } = this.#theme;
    const rest = more.map((line) => `${INDENT}${paint[problemRole(this.#state)](line)}`);
    const lines = [head, ...rest].flatMap((line) => wrap(line, width, INDENT));
    if (this.#isExpanded || lines.length <= MAX_PROBLEM_LINES + 1) return lines;
    const hidden = lines.length - MAX_PROBLEM_LINES;
    return [...lines.slice(0, MAX_PROBLEM_LINES), paint.muted(cut(`${INDENT}${this.#more(hidden)}`, width))];
  }

  /** Beside the title: the problem, the state if no symbol shows it, facts, the size of a change, and the time so far. */
  #aside(problem: string): string {
    const { paint } = this.#theme;
    const parts: string[] = [];
    const word = callStateWords[this.#state];
    if (problem !== '') parts.push(paint[problemRole(this.#state)](problem));
    else if (word) parts.push(paint.muted(word));
    for (const group of callFacts(this.#facts)) {
      const words = group.map(({ kind, text }) => paint[kind === 'fact' ? 'muted' : kind](cleanLine(text)));
      parts.push(words.join(' '));
    }
    const elapsed = this.#startedAt === undefined || this.isOver ? 0 : this.#now() - this.#startedAt;
    if (elapsed >= TELL_TIME_MS) parts.push(paint.muted(shortTime(elapsed)));
    return parts.join(paint.muted(' · '));
  }

  #body(width: number): string[] {
    const room = Math.max(1, width - INDENT.length);
    if (this.#state === 'running' && this.#progress !== '') {
      const { lines } = outputLines(this.#theme, this.#progress, room, { lines: TAIL_LINES, end: 'last' });
      return lines.map((line) => `${INDENT}${this.#theme.paint.muted(line)}`);
    }
    return this.#content(room).map((line) => `${INDENT}${line}`);
  }

  #content(room: number): string[] {
    const { body, looks, writtenBy } = this.#display;
    const failed = hasCallFailed(this.#state);
    if (!body) return [];
    const isRefused = isRefusedText(body, this.#state, this.#wasAsked);
    if (failed && !showsFailedBody(body, this.#state, this.#wasAsked)) return [];
    if ((body.type === 'todos' || looks !== undefined) && !this.#isExpanded && !this.#isOwn) return [];
    const shape = { isExpanded: this.#isExpanded, isFailed: failed, isOwn: this.#isOwn };
    const { lines, hidden } = bodyLines(this.#theme, body, room, shape);
    const { paint } = this.#theme;
    const from = writtenBy === undefined ? [] : [paint.muted(cut(cleanLine(writtenByWords(writtenBy)), room))];
    const more = hidden === 0 ? [] : [paint.muted(cut(this.#more(hidden), room))];
    // Output that went well steps back behind the answer.
    const isDim = body.type === 'output' && !failed && !this.#isOwn;
    const drawn = isRefused
      ? lines.map((line) => paint.muted(stripTerminalSequences(line).trimEnd()))
      : isDim
        ? lines.map((line) => dimmed(line, paint.muted))
        : lines;
    return [...from, ...drawn, ...more];
  }

  /** Drawn elsewhere: a question shows its call; the list of tasks and the child agents are above the editor. */
  get #isElsewhere(): boolean {
    if (this.#state === 'asking' || ((this.#isInPanel || this.#isQuestion) && !this.isOver)) return true;
    return this.#display.body?.type === 'todos' && !this.#isExpanded && !hasCallFailed(this.#state);
  }

  get #facts(): ShownCall {
    const shorten = this.#isExpanded ? (text: string): string => text : this.#shorten;
    return { tool: this.#tool, display: this.#display, state: this.#state, problem: this.#problem, shorten };
  }

  #more(hidden: number): string {
    return `… ${counted(hidden, 'more line')}${this.#isExpanded ? '' : ' (ctrl+o)'}`;
  }
}

/** In a colour that also applies behind a program's own colours. */
function dimmed(line: string, painted: (text: string) => string): string {
  const [open = ''] = painted('x').split('x');
  return painted(line.replaceAll(ENDS_COLOR, (end) => `${end}${open}`));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles are written with them
const ENDS_COLOR = /\u001b\[(?:0|39|22)?m/g;
