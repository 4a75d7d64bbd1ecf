import type { Component } from '@earendil-works/pi-tui';
import { textCallsNotice } from '../../agent/text-calls-notice.js';
import type { AgentHappening, RunResult, ToolResultEvent } from '../../contract/event.js';
import { compactionNotice } from '../../display/compaction-notice.js';
import { endText } from '../../display/end-text.js';
import type { History } from '../screen/history.js';
import type { Theme } from '../screen/theme.js';
import { CallGroup } from './call-group.js';
import { CallView } from './call-view.js';
import { MarkdownView } from './markdown-view.js';
import { interruptedNotice, NoticeView } from './notice-view.js';
import { PromptView } from './prompt-view.js';
import { StreamedCall } from './streamed-call.js';
import { ThinkingView } from './thinking-view.js';

const MAX_GROUP = 50; // calls that are kept together: the history drops only whole views

export interface EventViewsOptions {
  now(): number;
  /** Abbreviates paths in what is shown of a call. */
  shorten?: (text: string) => string;
  /** What to do after Esc, if it is not the usual. */
  afterStop?: () => string | undefined;
}

/** A view of something that is still going on, and a function that marks it as final. */
interface Open<View> {
  view: View;
  settle(): void;
}

interface OpenCall {
  view: StreamedCall;
  group: Open<CallGroup>;
  /** It is the user's own: the model's answer goes on beside it. */
  isOwn: boolean;
  /** Its input has arrived as a whole. */
  isComplete: boolean;
}

/** A view that does not belong to the answer in whose middle it arrives, such as the output of a command. */
interface Aside {
  view: Component;
  hasGap: boolean | undefined;
  isLive: boolean;
  /** Marks it as final; undefined until it has a place in the history. */
  settle?: () => void;
}

/** Turns events into views, each at its place in the history. */
export class EventViews {
  readonly #history: History;
  readonly #theme: Theme;
  readonly #options: EventViewsOptions;
  readonly #calls = new Map<string, OpenCall>();
  /** The group that the next call joins. */
  #group: Open<CallGroup> | undefined;
  readonly #askedEarly = new Set<string>();
  readonly #questionsEarly = new Set<string>();
  readonly #ownEarly = new Set<string>();
  /** Calls whose command continues in the background, by its id. */
  readonly #background = new Map<string, OpenCall>();
  #answer: Open<MarkdownView> | undefined;
  #thinking: Open<ThinkingView> | undefined;
  /** Asides that wait until the block of the answer that is being written is complete. */
  #held: Aside[] = [];
  /** The calls that have started child agents, whose activity is in the panel above the editor. */
  readonly #startsAgents = new Set<string>();
  /** What this turn has shown so far, in case it is retried. */
  #ofTurn: Component[] = [];
  #callsOfTurn: OpenCall[] = [];
  /** The kind of the last view, to decide where an empty line goes. */
  #last: 'notice' | 'other' | undefined;
  /** A call of this turn says that it was interrupted. */
  #hasInterrupted = false;
  #lastPrompt: Component | undefined;

  constructor(history: History, theme: Theme, options: EventViewsOptions) {
    this.#history = history;
    this.#theme = theme;
    this.#options = options;
  }

  take(event: AgentHappening): void {
    switch (event.type) {
      case 'turn_start':
        this.#removeUnfinishedCalls();
        this.#hasInterrupted = false;
        this.#ofTurn = [];
        this.#callsOfTurn = [];
        return;
      case 'answer_restart':
        this.#restart();
        return;
      case 'text_delta':
        this.#endThinking();
        this.#answer ??= this.#openTextView();
        this.#answer.view.append(event.text);
        this.#placeHeld();
        return;
      case 'thinking_delta':
        this.#thinking ??= this.#open(new ThinkingView(this.#theme));
        this.#thinking.view.append(event.text);
        return;
      case 'tool_input':
        this.#callView(event.callId, event.tool).view.arrived(event);
        return;
      case 'tool_call': {
        const call = this.#callView(event.callId, event.tool);
        const { view } = call;
        call.isComplete = true;
        view.settle();
        view.view.showInput(event.display);
        view.view.wait();
        return;
      }
      case 'tool_start':
        this.#calls.get(event.callId)?.view.view.start();
        return;
      case 'tool_progress':
        if (!this.#startsAgents.has(event.callId)) {
          this.#calls.get(event.callId)?.view.view.showProgress(event.text);
        }
        return;
      case 'tool_result':
        this.#endCall(event);
        return;
      case 'assistant_message':
        this.#endWords();
        return;
      case 'agent_event':
        this.#startsAgents.add(event.parentCallId);
        this.#calls.get(event.parentCallId)?.view.view.showInPanel();
        return;
      case 'notice':
        this.show(new NoticeView(this.#theme, 'warning', event.text));
        return;
      case 'text_calls':
        this.show(new NoticeView(this.#theme, 'info', textCallsNotice(event)));
        return;
      case 'compaction':
        this.show(new NoticeView(this.#theme, 'info', compactionNotice(event)));
        return;
      case 'result':
        this.#end(event);
        return;
      default:
        return;
    }
  }

  /** Shows the user's prompt. */
  said(text: string): void {
    const view = new PromptView(this.#theme, text);
    this.#endThinking();
    this.#endGroup();
    this.#place({ view, hasGap: true, isLive: false });
    this.#lastPrompt = view;
  }

  /** The user is being asked about a call, which may not be shown yet: questions and events arrive separately. */
  asking(callId: string): void {
    const call = this.#calls.get(callId);
    if (call) call.view.view.ask();
    else this.#askedEarly.add(callId);
  }

  /** A call that runs asks the user; it may not be shown yet. */
  question(callId: string): void {
    const call = this.#calls.get(callId);
    if (call) call.view.view.question();
    else this.#questionsEarly.add(callId);
  }

  /** The user makes this call themselves. */
  own(callId: string): void {
    this.#ownEarly.add(callId);
  }

  /** A command in the background has ended; its call may still be on the screen. */
  backgroundEnded(id: string, hasFailed: boolean): void {
    const call = this.#background.get(id);
    if (!call) return;
    this.#background.delete(id);
    call.view.view.endBackground(hasFailed);
    for (const view of [call.group.view, call.view.view]) this.#history.changed(view);
  }

  /**
   * An empty line is above it, but notices that follow each other are one block. Returns a function that marks a live
   * view as final.
   */
  show(view: Component, { hasGap, isLive = false }: { hasGap?: boolean; isLive?: boolean } = {}): () => void {
    this.#endGroup();
    return this.#place({ view, hasGap, isLive });
  }

  /** How many views wait for the end of a block of the answer. */
  get held(): number {
    return this.#held.length;
  }

  /** Everything since the last prompt, and before it what is still on the screen, with nothing folded. */
  details(width: number): string[] {
    const { views } = this.#history;
    const ofPrompt = this.#lastPrompt ? views.indexOf(this.#lastPrompt) : 0;
    const start = Math.max(0, Math.min(ofPrompt, this.#history.firstOnScreen));
    return views.slice(start).flatMap((view, index) => {
      const lines = unfolded(view, width);
      return index > 0 && lines.length > 0 ? ['', ...lines] : lines;
    });
  }

  /** Clears everything. */
  forget(): void {
    this.#calls.clear();
    this.#background.clear();
    this.#group = undefined;
    this.#answer = undefined;
    this.#thinking = undefined;
    this.#held = [];
    this.#startsAgents.clear();
    this.#ofTurn = [];
    this.#callsOfTurn = [];
    this.#last = undefined;
    this.#lastPrompt = undefined;
  }

  /**
   * Adds a view below everything else, but above the block of an answer that is still being written: the answer stays
   * readable, and the view does not move any more. Returns a function that marks the view as final.
   */
  #place(aside: Aside): () => void {
    this.#held.push(aside);
    this.#placeHeld();
    return () => {
      aside.isLive = false;
      aside.settle?.();
    };
  }

  #placeHeld(): void {
    if (this.#held.length === 0) return;
    const answer = this.#answer;
    const gap = 1;
    const rest = answer?.view.split(this.#history.linesAbove(answer.view) - gap);
    if (answer && !rest) return;
    if (answer?.view.isEmpty === false) this.#last = 'other';
    answer?.settle();
    for (const aside of this.#held) {
      const { view, isLive, hasGap = !(view instanceof NoticeView && this.#last === 'notice') } = aside;
      aside.settle = this.#history.add(view, { hasGap, isLive });
      this.#last = view instanceof NoticeView ? 'notice' : 'other';
    }
    this.#held = [];
    if (!rest) return;
    this.#answer = { view: rest, settle: this.#history.add(rest, { isLive: true, hasGap: true }) };
    this.#ofTurn.push(rest);
  }

  #open<View extends Component>(view: View): Open<View> {
    this.#endGroup();
    const settle = this.#history.add(view, { isLive: true, hasGap: true });
    this.#last = 'other';
    this.#ofTurn.push(view);
    return { view, settle };
  }

  #openTextView(): Open<MarkdownView> {
    return this.#open(new MarkdownView(this.#theme));
  }

  #callView(callId: string, tool: string): OpenCall {
    const known = this.#calls.get(callId);
    if (known) return known;
    const isOwn = this.#ownEarly.delete(callId);
    if (!isOwn) this.#endWords();
    const { now, shorten } = this.#options;
    const call = new CallView(this.#theme, { tool, now, ...(shorten && { shorten }) });
    if (this.#askedEarly.delete(callId)) call.ask();
    if (this.#questionsEarly.delete(callId)) call.question();
    if (isOwn) call.own();
    if (isOwn || (this.#group?.view.size ?? 0) >= MAX_GROUP) this.#endGroup();
    const group = this.#group ?? this.#openGroup();
    const opened: OpenCall = { view: new StreamedCall(call, now), group, isOwn, isComplete: false };
    opened.group.view.add(opened.view);
    this.#calls.set(callId, opened);
    if (isOwn) return opened; // the model's next call does not join it, and a retry of the model leaves it alone
    this.#group = opened.group;
    this.#callsOfTurn.push(opened);
    return opened;
  }

  #openGroup(): Open<CallGroup> {
    const view = new CallGroup(this.#theme, this.#options);
    return { view, settle: this.#place({ view, isLive: true, hasGap: true }) };
  }

  /** The next call starts a new group. */
  #endGroup(): void {
    if (this.#group?.view.isOver) this.#group.settle();
    this.#group = undefined;
  }

  #endCall({ callId, display, failure, problem, result }: ToolResultEvent): void {
    const call = this.#calls.get(callId);
    if (!call) return;
    const { view, group } = call;
    const isAbove = this.#history.linesAbove(group.view) >= group.view.endOf(view) + 1; // with the gap
    view.settle();
    view.view.end({ display, failure: result.is_error ? (failure ?? 'exception') : undefined, problem });
    this.#calls.delete(callId);
    if (display.background !== undefined) this.#background.set(display.background, call);
    this.#hasInterrupted ||= view.view.state === 'interrupted';
    if (group !== this.#group && group.view.isOver) group.settle();
    // It has scrolled off, so the result is shown again.
    if (isAbove) this.show(view.view, { hasGap: true });
  }

  #endWords(): void {
    this.#endThinking();
    this.#answer?.view.finish();
    this.#answer?.settle();
    if (this.#answer) this.#last = 'other';
    this.#answer = undefined;
    this.#placeHeld();
  }

  #endThinking(): void {
    this.#thinking?.view.finish();
    this.#thinking?.settle();
    this.#thinking = undefined;
  }

  #restart(): void {
    for (const view of this.#ofTurn) this.#history.remove(view);
    for (const call of this.#callsOfTurn) this.#removeCall(call);
    this.#ofTurn = [];
    this.#callsOfTurn = [];
    this.#forgetCalls();
    this.#answer = undefined;
    this.#thinking = undefined;
    this.#placeHeld();
  }

  /** Calls of an answer that broke off in their input: they are no part of the conversation. */
  #removeUnfinishedCalls(): void {
    for (const [id, call] of this.#calls) {
      if (call.isOwn || call.isComplete) continue;
      this.#calls.delete(id);
      this.#removeCall(call);
    }
  }

  #removeCall({ view, group }: OpenCall): void {
    group.view.remove(view);
    if (group.view.size > 0) return;
    this.#history.remove(group.view);
    if (this.#group === group) this.#group = undefined;
  }

  /** A call of the user's own runs on. */
  #forgetCalls(): void {
    for (const [id, { isOwn }] of this.#calls) if (!isOwn) this.#calls.delete(id);
  }

  #end(result: RunResult): void {
    const { outcome } = result;
    this.#endWords();
    if (outcome !== 'interrupted') this.#removeUnfinishedCalls();
    const left = [...this.#calls.values()].filter(({ isOwn }) => !isOwn);
    if (outcome === 'interrupted') for (const { view } of left) view.interrupt();
    this.#hasInterrupted ||= outcome === 'interrupted' && left.length > 0;
    for (const { group } of left) group.settle();
    this.#forgetCalls();
    this.#endGroup();
    if (outcome === 'completed') return;
    if (outcome === 'interrupted') {
      const afterCall = this.#hasInterrupted;
      const next = this.#options.afterStop?.();
      this.show(interruptedNotice(this.#theme, { afterCall, next }), { hasGap: true });
      return;
    }
    const kind = outcome === 'stopped' ? 'warning' : 'failure';
    this.show(new NoticeView(this.#theme, kind, endText(result)), { hasGap: true });
  }
}

/** The view keeps how it is drawn in the transcript. */
function unfolded(view: Component, width: number): string[] {
  if (!isFoldable(view) || view.isExpanded) return view.render(width);
  view.isExpanded = true;
  const lines = view.render(width);
  view.isExpanded = false;
  return lines;
}

function isFoldable(view: unknown): view is { isExpanded: boolean } {
  return typeof view === 'object' && view !== null && 'isExpanded' in view && typeof view.isExpanded === 'boolean';
}
