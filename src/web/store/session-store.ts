// One session as the page shows it: its entries by id, the blocks of the conversation in their order, its open questions.
import { batch, type Signal, signal } from '@preact/signals';
import type { OpenQuestion } from '../../host/open-questions.js';
import type { FeedCall } from '../../host/session-feed.js';
import { type Link, RequestProblem } from '../connection/link.js';
import type { Outbox } from '../connection/outbox.js';
import type { Entry, EntryNotice, OptionsToChoose, Overview, RowState } from '../connection/wire.js';
import { StreamedText, type TextSegment } from './entry-texts.js';

const NOT_OPEN = -32_002;
const MAX_GROUP = 40; // calls that are drawn as one block
const FLUSH_MS = 250; // in a page that is not visible, or is hidden meanwhile, no frame is drawn

export type CallSignal = Signal<FeedCall>;

/** A piece of the conversation. Calls that follow each other are one. */
export type Block =
  | { kind: 'calls'; id: string; calls: Signal<readonly CallSignal[]> }
  | { kind: 'text' | 'thought'; id: string; text: TextSegment }
  | { kind: 'entry'; id: string; entry: Signal<Exclude<Entry, FeedCall>> };

export interface AskedQuestion {
  question: OpenQuestion;
  /** When the page first showed it. */
  since: number;
}

export class SessionStore {
  readonly id: string;
  readonly title: Signal<string> = signal('');
  readonly root: Signal<string> = signal('');
  readonly state: Signal<RowState | 'loading'> = signal('loading');
  /** Why nothing is shown. */
  readonly problem: Signal<string | undefined> = signal(undefined);
  /** Where the entries end that are not loaded yet; undefined at the beginning of the session. */
  readonly earlier: Signal<string | undefined> = signal(undefined);
  /** The session is only read: it runs elsewhere, or is not open. */
  readonly isReadOnly: Signal<boolean> = signal(false);
  readonly blocks: Signal<readonly Block[]> = signal([]);
  readonly questions: Signal<readonly AskedQuestion[]> = signal([]);
  readonly overview: Signal<Overview | undefined> = signal(undefined);
  readonly options: Signal<OptionsToChoose | undefined> = signal(undefined);
  /** Grows when a turn or a prompt has ended: pages that show sums load them again. */
  readonly turns: Signal<number> = signal(0);
  /** The calls of child agents, by the call that started the agent. */
  readonly children = new Map<string, Signal<readonly CallSignal[]>>();
  readonly calls = new Map<string, CallSignal>();
  /** Calls that a person was asked about. */
  readonly asked = new Set<string>();
  readonly #entries = new Map<string, Signal<Exclude<Entry, FeedCall>>>();
  readonly #texts = new Map<string, StreamedText>();
  /** The blocks, which are published once for all entries that came together. */
  #all: Block[] = [];
  #isChanged = false;
  #lastText: StreamedText | undefined;
  readonly #link: Link;
  readonly #outbox: Outbox;
  readonly #leave: Array<() => void> = [];
  #known: { epoch: string; seq: number } | undefined;
  #waiting: EntryNotice[] = [];
  #isFlushing = false;
  #isClosed = false;

  constructor(link: Link, id: string, outbox: Outbox) {
    this.#link = link;
    this.#outbox = outbox;
    this.id = id;
  }

  /** Follows the session until `close`: also over broken connections. */
  open({ canAttach }: { canAttach: boolean }): void {
    this.isReadOnly.value = !canAttach;
    this.#leave.push(
      this.#link.on('_helve/session/entry', (params) => {
        const notice = params as unknown as EntryNotice; // the server sends it in this shape
        if (notice.sessionId === this.id) this.#take(notice);
      }),
      this.#link.on('_helve/session/closed', ({ sessionId }) => {
        if (sessionId === this.id) this.#known = undefined;
      }),
      this.#link.onOpen(() => void this.reload()),
    );
  }

  close(): void {
    this.#isClosed = true;
    for (const leave of this.#leave) leave();
    if (!this.isReadOnly.peek()) this.#link.request('_helve/session/detach', { sessionId: this.id }).catch(() => {});
  }

  /** Follows a session that was only read, as when it got a prompt. */
  async attach(): Promise<void> {
    this.isReadOnly.value = false;
    await this.reload();
  }

  async reload(): Promise<void> {
    try {
      if (this.isReadOnly.peek()) await this.#read();
      else await this.#attach().catch((error: unknown) => this.#readInstead(error));
      this.problem.value = undefined;
    } catch (error) {
      if (this.state.peek() === 'loading') this.problem.value = problemWords(error);
      return;
    }
    await Promise.all([this.loadOverview(), this.loadOptions()]);
  }

  /** A client that may only look can't open a session; it can read what is on disk. */
  async #readInstead(error: unknown): Promise<void> {
    if (!(error instanceof RequestProblem && error.code === NOT_OPEN)) throw error;
    this.isReadOnly.value = true;
    await this.#read();
  }

  async loadOverview(): Promise<void> {
    const overview = await this.#link.request('_helve/session/overview', { sessionId: this.id }).catch(() => undefined);
    if (overview && !this.#isClosed) this.overview.value = overview;
  }

  async loadOptions(): Promise<void> {
    const options = await this.#link.request('_helve/session/options', { sessionId: this.id }).catch(() => undefined);
    if (options && !this.#isClosed) this.options.value = options;
  }

  /** Loads the entries before the first one. */
  async loadEarlier(): Promise<void> {
    const before = this.earlier.peek();
    if (before === undefined) return;
    this.earlier.value = undefined; // it is being loaded
    const { past, earlier } = await this.#link.request('_helve/session/read', { sessionId: this.id, before });
    if (this.#isClosed) return;
    batch(() => {
      const later = this.#all;
      this.#all = [];
      for (const entry of past) this.#put(entry, 0);
      this.#finishText();
      this.#all = this.#all.concat(later);
      this.#publish();
      this.earlier.value = earlier;
    });
  }

  async #read(): Promise<void> {
    const { title, root, past, earlier } = await this.#link.request('_helve/session/read', { sessionId: this.id });
    if (!this.isReadOnly.peek()) return; // it is followed meanwhile
    batch(() => {
      this.#clear();
      this.title.value = title;
      this.root.value = root;
      this.earlier.value = earlier;
      for (const entry of past) this.#put(entry, 0);
      this.#finishText();
      this.#publish();
      if (this.state.peek() === 'loading') this.state.value = 'idle';
    });
  }

  async #attach(): Promise<void> {
    const after = this.#known;
    const attached = await this.#link.request('_helve/session/attach', {
      sessionId: this.id,
      ...(after && { after }),
    });
    batch(() => {
      if (after?.epoch !== attached.epoch) {
        this.#clear();
        this.#waiting = []; // their numbers mean nothing in this feed
        this.earlier.value = attached.earlier;
        for (const entry of attached.past) this.#put(entry, 0);
        this.#finishText();
        this.#publish();
        this.#known = { epoch: attached.epoch, seq: attached.seq };
      }
      this.title.value = attached.title;
      this.root.value = attached.root;
      this.state.value = attached.state;
    });
  }

  #clear(): void {
    this.#entries.clear();
    this.children.clear();
    this.calls.clear();
    this.#texts.clear();
    this.#all = [];
    this.#isChanged = true;
    this.questions.value = [];
  }

  /** Entries are drawn once a frame, however many come. */
  #take(notice: EntryNotice): void {
    this.#waiting.push(notice);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    requestAnimationFrame(this.#flush);
    setTimeout(this.#flush, FLUSH_MS);
  }

  /** At the next frame, or after a while if there is none. */
  readonly #flush = (): void => {
    if (!this.#isFlushing) return;
    this.#isFlushing = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    batch(() => {
      for (const { entry, from, seq } of waiting) {
        if (this.#known) this.#known.seq = seq;
        this.#put(entry, from);
      }
      this.#publish();
    });
  };

  #publish(): void {
    if (this.#isChanged) this.blocks.value = this.#all.slice();
    this.#isChanged = false;
  }

  #put(entry: Entry, from: number): void {
    switch (entry.kind) {
      case 'state':
        this.state.value = entry.state;
        if (entry.state === 'idle' || entry.state === 'failed') this.#outbox.rested(this.id);
        return;
      case 'progress':
        this.turns.value += 1;
        void this.loadOverview();
        return;
      case 'commands':
        void this.loadOptions();
        return;
      case 'question':
        this.#ask(entry.question, entry.isOpen);
        return;
      case 'call':
        this.#putCall(entry);
        return;
      case 'text':
      case 'thought':
        this.#putText(entry, from);
        return;
      default:
        this.#putOther(entry);
    }
  }

  #ask(question: OpenQuestion, isOpen: boolean): void {
    const others = this.questions.peek().filter((asked) => asked.question.id !== question.id);
    const known = this.questions.peek().find((asked) => asked.question.id === question.id);
    if (question.kind === 'permission') this.asked.add(question.question.callId);
    if (isOpen) this.questions.value = [...others, known ?? { question, since: Date.now() }];
    else if (known) this.questions.value = others;
  }

  #putCall(call: FeedCall): void {
    const known = this.calls.get(call.id);
    if (known) {
      known.value = call;
      return;
    }
    const added = signal(call);
    this.calls.set(call.id, added);
    if (call.agent) {
      const { parentCallId } = call.agent;
      const siblings = this.children.get(parentCallId) ?? signal<readonly CallSignal[]>([]);
      this.children.set(parentCallId, siblings);
      siblings.value = [...siblings.peek(), added];
      return;
    }
    const last = this.#all.at(-1);
    if (last?.kind === 'calls' && last.calls.peek().length < MAX_GROUP)
      last.calls.value = [...last.calls.peek(), added];
    else this.#append({ kind: 'calls', id: `calls:${call.id}`, calls: signal<readonly CallSignal[]>([added]) });
  }

  #putText({ kind, id, text }: Extract<Entry, { kind: 'text' | 'thought' }>, from: number): void {
    const known = this.#texts.get(id);
    if (text === '' && from === 0) {
      // The model has withdrawn it.
      this.#all = this.#all.filter((block) => block.kind !== kind || known?.segments.includes(block.text) !== true);
      this.#texts.delete(id);
      this.#isChanged = true;
      return;
    }
    if (known && known.length === from) {
      for (const segment of known.add(text)) {
        this.#all.push({ kind, id: `${id}#${known.segments.indexOf(segment)}`, text: segment });
        this.#isChanged = true;
      }
      return;
    }
    const streamed = new StreamedText({ hasSegments: kind === 'text' });
    streamed.add(text);
    const blocks = streamed.segments.map((segment, index): Block => ({ kind, id: `${id}#${index}`, text: segment }));
    this.#texts.set(id, streamed);
    if (known) {
      // The server sends all of it again.
      const isOld = (block: Block): boolean => block.kind === kind && known.segments.includes(block.text);
      const at = this.#all.findIndex(isOld);
      this.#all = this.#all.filter((block) => !isOld(block)).toSpliced(at, 0, ...blocks);
      this.#isChanged = true;
    } else for (const block of blocks) this.#append(block);
    this.#lastText = streamed;
  }

  #putOther(entry: Exclude<Entry, FeedCall>): void {
    const known = this.#entries.get(entry.id);
    if (known) {
      known.value = entry;
      return;
    }
    if (entry.kind === 'prompt') this.#outbox.begun(entry.id.replace(/^prompt:/, ''));
    if (entry.kind === 'end') {
      this.#finishText();
      this.turns.value += 1;
      void this.loadOverview();
      if (entry.outcome === 'completed' || entry.text === '') return;
    }
    const added = signal(entry);
    this.#entries.set(entry.id, added);
    this.#append({ kind: 'entry', id: entry.id, entry: added });
  }

  #append(block: Block): void {
    this.#finishText();
    this.#all.push(block);
    this.#isChanged = true;
  }

  /** Only the last text can grow. */
  #finishText(): void {
    this.#lastText?.finish();
    this.#lastText = undefined;
  }
}

/** For a person, who has no use for the names of methods. */
function problemWords(error: unknown): string {
  if (error instanceof RequestProblem && error.code === NOT_OPEN) {
    return 'There is no session at this address. It may have been deleted, or the address was mistyped.';
  }
  return error instanceof Error ? error.message : String(error);
}
