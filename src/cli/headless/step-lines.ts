import type { AgentEvent, ToolResultEvent } from '../../contract/event.js';
import { withShownPaths } from '../../display/shown-path.js';
import { homeFolder } from '../../platform/files/paths.js';
import { visible } from '../../platform/text/visible.js';
import { WordWrap } from '../../terminal/plain/word-wrap.js';

const CLEAR_LINE = '\r\u001b[K';
const MIN_COLUMNS = 20;

/**
 * Shows the work of a run on a terminal, for the person who waits: one line for each call, and below them a line about
 * what is going on, which is overwritten.
 */
export class StepLines {
  readonly #write: (text: string) => void;
  readonly #columns: () => number;
  readonly #root: string;
  readonly #running = new Map<string, string>();
  #hasLive = false;
  #waitsFor: string | undefined;

  /** Paths are shown relative to `root`. */
  constructor({ write, columns, root }: { write(text: string): void; columns(): number; root: string }) {
    this.#write = write;
    this.#root = root;
    this.#columns = columns;
  }

  see(event: AgentEvent): void {
    if (event.type === 'tool_call') {
      this.#running.set(event.callId, `${event.display.action ?? event.tool} ${firstLine(event.display.title)}`);
      this.#live();
    } else if (event.type === 'tool_result') this.#ended(event);
    else if (event.type === 'turn_end') this.#live();
    else if (event.type === 'result') this.end();
    else if (this.#waitsFor !== undefined && event.type !== 'model_retry') {
      this.#waitsFor = undefined;
      this.#live();
    }
  }

  /** Shows what the run waits for, until the next event. */
  wait(text: string): void {
    this.#waitsFor = text;
    this.#live();
  }

  /** Shows that the model is working. */
  begin(): void {
    this.#live();
  }

  /** A sentence that stays, with all of its words. */
  line(text: string): void {
    this.#clear();
    const indent = text.startsWith('✗') ? '  ' : '';
    const wrap = new WordWrap(this.#width() - indent.length);
    const lines = `${wrap.push(this.#oneLine(text))}${wrap.flush()}`.split('\n');
    this.#write(`${lines.map((line, index) => (index === 0 ? line : `${indent}${line}`)).join('\n')}\n`);
    this.#live();
  }

  /** A line that stays, cut to the width. */
  #step(text: string): void {
    this.#clear();
    this.#write(`${this.#fit(text)}\n`);
    this.#live();
  }

  /** Removes the line about what is going on. */
  end(): void {
    this.#waitsFor = undefined;
    this.#running.clear();
    this.#clear();
  }

  #ended({ display, tool, callId, problem, result }: ToolResultEvent): void {
    const started = this.#running.get(callId);
    this.#running.delete(callId);
    const failed = result.is_error === true;
    const facts = failed ? [firstLine(problem ?? '')] : (display.facts ?? []);
    const what = [started ?? `${tool} ${firstLine(display.title)}`, ...facts].filter((part) => part !== '').join('  ');
    if (failed) this.line(`✗ ${what}`);
    else this.#step(`✓ ${what}`);
  }

  #live(): void {
    const current = [...this.#running.values()].at(-1);
    const text = this.#waitsFor ?? (current === undefined ? 'waiting for the model' : `running ${current}`);
    this.#clear();
    this.#write(this.#fit(`… ${text}`));
    this.#hasLive = true;
  }

  #clear(): void {
    if (this.#hasLive) this.#write(CLEAR_LINE);
    this.#hasLive = false;
  }

  #fit(text: string): string {
    const width = this.#width();
    const line = this.#oneLine(text);
    return line.length > width ? `${line.slice(0, width - 1)}…` : line;
  }

  #oneLine(text: string): string {
    return withShownPaths(visible(text).replaceAll('\n', ' '), { root: this.#root, home: homeFolder() });
  }

  #width(): number {
    return Math.max(this.#columns() - 1, MIN_COLUMNS);
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
