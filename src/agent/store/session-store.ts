// Writes a session to disk as it happens, from what the loop tells. Every record is in the file before the next thing
// that could go wrong: a prompt when it is given, a call that may change something before it begins, all the rest of a
// turn in one piece at its end, when it is brought to the disk as well.
import { rmdir } from 'node:fs/promises';
import type { AgentHappening } from '../../contract/event.js';
import type { ToolResultBlock, UserBlock, UserMessage } from '../../contract/message.js';
import type { ModelFacts, Usage } from '../../contract/model.js';
import type { Decision, PermissionMode } from '../../contract/permission.js';
import type { SeenFile } from '../../contract/tool-context.js';
import { explain } from '../../platform/files/write-failure.js';
import { addUsage, costOf, noUsage } from '../usage.js';
import { AppendLog } from './append-log.js';
import { keepLarge, lineOf } from './large-values.js';
import { makePrivateFolder, type SessionFolder, sessionFolder, sessionsFolder } from './session-folder.js';
import { lockSession, type SessionLock } from './session-lock.js';
import { SESSION_FORMAT, type SessionHeader, type SessionRecord, type SessionTotals } from './session-record.js';
import { titleOf } from './session-title.js';

export interface SessionStoreOptions {
  dataFolder: string;
  id: string;
  root: string;
  model: string;
  /** Of the model; without them the cost of a run is known at its end alone, if at all. */
  prices?: ModelFacts['prices'] | undefined;
  /** Of a child agent: where it is kept, and what its first line says of it. */
  agent?: { folder: SessionFolder; facts: NonNullable<SessionHeader['agent']> } | undefined;
  /** One sentence for the person, when the session can't be saved. The conversation goes on all the same. */
  onProblem?: ((sentence: string) => void) | undefined;
}

/** What calls may change of a session, looked at when a turn ends. A `Session` is one. */
export interface WatchedState {
  readonly cwd: string;
  readonly mode: PermissionMode;
  readonly todos?: unknown;
  readonly plan?: string | undefined;
}

/** What a store goes on from when a session is resumed. */
export interface StoreBeginning {
  lock: SessionLock;
  totals: SessionTotals;
  title: string | undefined;
  damaged: readonly number[];
}

// A record without its time.
type Unwritten = SessionRecord extends infer One ? (One extends { at: number } ? Omit<One, 'at'> : never) : never;

export const noTotals: SessionTotals = { turns: 0, usage: noUsage, costUsd: 0 };

export class SessionStore {
  readonly folder: SessionFolder;
  readonly #options: SessionStoreOptions;
  readonly #report: (sentence: string) => void;
  /** Lines from before the file was open. */
  #early: Unwritten[] = [];
  #opening: Promise<void> | undefined;
  #log: AppendLog | undefined;
  #lock: SessionLock | undefined;
  #isStopped = false;
  #lost = 0;
  #isWriteDue = false;
  #settled: Promise<void> = Promise.resolve();
  #hasHeader = false;
  #title: string | undefined;
  #totals = noTotals;
  #costBefore: number | null = 0;
  #state: WatchedState | undefined;
  readonly #written = new Map<string, string | undefined>();
  #seen = new Map<string, SeenFile>();
  readonly #inputs = new Map<string, unknown>();
  readonly #harmless = new Set<string>();
  readonly #results = new Map<string, ToolResultBlock>();
  #said = '';
  #thought = false;

  constructor(options: SessionStoreOptions, beginning?: StoreBeginning) {
    this.#options = options;
    this.folder = options.agent?.folder ?? sessionFolder(options.dataFolder, options.id);
    this.#report = options.onProblem ?? ((sentence) => process.emitWarning(sentence, 'HelveWarning'));
    if (!beginning) return;
    this.#lock = beginning.lock;
    this.#hasHeader = true;
    this.#title = beginning.title;
    this.#totals = beginning.totals;
    this.#add({ type: 'resume', damaged: beginning.damaged });
  }

  /** Records that are not on the disk: 0 as long as all is well. */
  get lost(): number {
    return this.#lost + (this.#log?.lost ?? 0);
  }

  get totals(): SessionTotals {
    return this.#totals;
  }

  /** Takes the lock and opens the file. Never rejects: a session that can't be saved is told, and goes on. */
  async open(): Promise<void> {
    this.#opening ??= this.#open();
    await this.#opening;
  }

  /** Looks at the directory, the mode, the todos and the plan when a turn ends. */
  watch(state: WatchedState): void {
    this.#state = state;
  }

  /** What the model has seen of a file; kept when the turn ends. */
  saw(real: string, { hash, size, at, lines, merged }: SeenFile): void {
    // Without its bytes, which may be many.
    this.#seen.set(real, { hash, size, at, lines, ...(merged && { merged }) });
  }

  /** What the person says. It is in the file when this returns. */
  prompt(content: readonly UserBlock[]): void {
    this.#title ??= titleOf(content);
    this.#add({ type: 'user', content });
    this.#write();
  }

  rename(title: string): void {
    this.#title = title;
    this.#add({ type: 'title', title });
    this.#write();
  }

  /** All but the last `kept` messages have been replaced by the summary. */
  compacted(summary: readonly UserBlock[], kept: number): void {
    this.#add({ type: 'compaction', summary, kept });
    this.#flushSoon();
  }

  /** What stands in place of old results from now on, by the ids of their calls. */
  cleared(results: ReadonlyMap<string, string>): void {
    this.#add({ type: 'cleared', results: Object.fromEntries(results) });
    this.#flushSoon();
  }

  /** What the model had seen of these files has left the conversation, or is about to. */
  forgot(files: readonly string[]): void {
    for (const real of files) this.#seen.delete(real); // it would be written later, as if it had been seen since
    this.#add({ type: 'forgotten', files });
  }

  /** Everything that the loop and the calls tell, at the moment when they do. */
  take(happening: AgentHappening): void {
    switch (happening.type) {
      case 'session_start':
        this.#costBefore = this.#totals.costUsd;
        return;
      case 'turn_start':
      case 'answer_restart':
        this.#forgetTurn();
        return;
      case 'text_delta':
        this.#said += happening.text;
        return;
      case 'thinking_delta':
        this.#thought = true;
        return;
      case 'tool_call':
        this.#inputs.set(happening.callId, happening.input);
        return;
      case 'permission_decision':
        if (isHarmless(happening.decision)) this.#harmless.add(happening.callId);
        else this.#harmless.delete(happening.callId);
        return;
      case 'tool_start':
        if (!this.#harmless.has(happening.callId)) this.#callStarts(happening.callId, happening.tool);
        return;
      case 'tool_result': {
        const { callId: id, result, failure } = happening;
        const { content, is_error } = result;
        this.#results.set(id, result);
        this.#add({ type: 'result', id, content, ...(is_error && { is_error }), ...(failure && { failure }) });
        return;
      }
      case 'assistant_message': {
        const { message, id, model } = happening;
        this.#add({ type: 'assistant', content: message.content, ...(id && { id }), ...(model && { model }) });
        return;
      }
      case 'user_message':
        this.#add({ type: 'user', content: this.#withoutKnownResults(happening.message) });
        return;
      case 'compaction':
        this.#count(happening.usage);
        return;
      case 'turn_end': {
        const { stopReason, usage } = happening;
        this.#count(usage);
        this.#totals = { ...this.#totals, turns: this.#totals.turns + 1 };
        this.#addState();
        this.#add({ type: 'turn', stopReason, usage, total: this.#totals, ...this.#shownTitle() });
        this.#forgetTurn();
        this.#flushSoon();
        return;
      }
      case 'result': {
        const { outcome, costUsd } = happening;
        const known = this.#costBefore !== null && costUsd !== null;
        this.#totals = { ...this.#totals, costUsd: known ? (this.#costBefore ?? 0) + costUsd : null };
        this.#add({ type: 'run', outcome, total: this.#totals, ...this.#shownTitle() });
        this.#flushSoon();
        return;
      }
      default:
        return;
    }
  }

  /** Resolves when what was taken is on the disk, or could not be brought there and was told. */
  async flushed(): Promise<void> {
    await this.#opening;
    this.#write();
    await this.#settled;
    await this.#log?.sync();
  }

  /** Lets go of the session. Nothing of the store may be used after it. */
  async close(): Promise<void> {
    await this.#opening;
    await this.#settled;
    await this.#log?.close();
    await this.#lock?.release();
    this.#isStopped = true;
    if (!this.#hasHeader) await rmdir(this.folder.path).catch(() => {}); // nothing was said, so nothing is kept
  }

  async #open(): Promise<void> {
    try {
      makePrivateFolder(sessionsFolder(this.#options.dataFolder));
      makePrivateFolder(this.folder.path);
      this.#lock ??= await lockSession(this.folder);
      // A new session gets its file with its first prompt; the folder is there for the lock.
      if (this.#hasHeader) this.#log = new AppendLog(this.folder.file, this.#report);
      this.#write();
    } catch (error) {
      await this.#stop(error);
    }
  }

  #count(used: Usage): void {
    const { usage, costUsd } = this.#totals;
    const { prices } = this.#options;
    const cost = costUsd === null ? null : costUsd + (prices ? costOf(used, prices) : 0);
    this.#totals = { ...this.#totals, usage: addUsage(usage, used), costUsd: cost };
  }

  #callStarts(id: string, tool: string): void {
    const thought = this.#thought ? ({ thought: true } as const) : {};
    const said = this.#said === '' ? {} : { said: this.#said };
    this.#said = '';
    this.#add({ type: 'call', id, tool, input: this.#inputs.get(id), ...said, ...thought });
    this.#write();
  }

  /** A result stands in the file once. */
  #withoutKnownResults({ content }: UserMessage) {
    return content.map((block) => {
      if (block.type !== 'tool_result' || this.#results.get(block.tool_use_id) !== block) return block;
      return { type: 'tool_result', tool_use_id: block.tool_use_id } as const;
    });
  }

  #forgetTurn(): void {
    this.#said = '';
    this.#thought = false;
    this.#inputs.clear();
    this.#harmless.clear();
    this.#results.clear();
  }

  #addState(): void {
    const { cwd, mode, todos, plan } = this.#state ?? {};
    if (cwd !== undefined) this.#addChanged({ type: 'cwd', cwd });
    if (mode !== undefined) this.#addChanged({ type: 'mode', mode });
    if (todos !== undefined) this.#addChanged({ type: 'todos', todos });
    if (plan !== undefined) this.#addChanged({ type: 'plan', plan });
    if (this.#seen.size === 0) return;
    const files = Object.fromEntries(
      [...this.#seen].map(([real, { at, ...seen }]) => [real, { ...seen, at: at.getTime() }]),
    );
    this.#seen = new Map();
    this.#add({ type: 'seen', files });
  }

  #addChanged(record: Unwritten): void {
    const text = jsonOf(record);
    if (this.#written.has(record.type) && this.#written.get(record.type) === text) return;
    this.#written.set(record.type, text);
    this.#add(record);
  }

  #shownTitle(): { title?: string } {
    return this.#title === undefined ? {} : { title: this.#title };
  }

  #add(record: Unwritten): void {
    if (this.#isStopped) this.#lost += 1;
    else if (!this.#log) this.#early.push(record);
    else {
      const line = this.#line({ ...record, at: Date.now() });
      if (line !== undefined) this.#log.add(line);
    }
  }

  #write(): void {
    if (this.#isStopped || !this.#lock || (!this.#log && this.#early.length === 0)) return;
    try {
      this.#log ??= this.#begun();
    } catch (error) {
      void this.#stop(error);
      return;
    }
    const early = this.#early;
    this.#early = [];
    for (const record of early) this.#add(record);
    this.#log.write();
  }

  /** The file of a new session, with its first line. */
  #begun(): AppendLog {
    const log = new AppendLog(this.folder.file, this.#report);
    const { id, root, model, agent } = this.#options;
    const created = new Date().toISOString();
    const header: SessionHeader = {
      type: 'session',
      v: SESSION_FORMAT,
      id,
      root,
      created,
      model,
      title: this.#title ?? '',
      ...(agent && { agent: agent.facts }),
    };
    log.add(JSON.stringify(header));
    this.#hasHeader = true;
    return log;
  }

  #line(record: SessionRecord): string | undefined {
    try {
      return lineOf(record, (text) => this.#keep(text));
    } catch (error) {
      this.#lost += 1;
      const why = error instanceof Error ? error.message : String(error);
      this.#report(
        `A part of the session (${record.type}) can't be written as JSON: ${why}. It will be missing when the session is resumed.`,
      );
      return undefined;
    }
  }

  #keep(text: string): string | undefined {
    try {
      const { hash, descriptor } = keepLarge(this.folder.results, text);
      if (descriptor !== undefined) this.#log?.syncWith(descriptor);
      return hash;
    } catch {
      return undefined; // it stays in its line, which waits where the disk is full
    }
  }

  /** In a moment, so that the result of a run that ends with this turn is in the same write. */
  #flushSoon(): void {
    if (this.#isWriteDue) return;
    this.#isWriteDue = true;
    queueMicrotask(() => {
      this.#isWriteDue = false;
      this.#write();
      this.#settled = this.#settled.then(() => this.#settle());
    });
  }

  async #settle(): Promise<void> {
    await this.#log?.sync();
    if (this.#isStopped || !this.#lock || (await this.#lock.isOurs().catch(() => true))) return;
    this.#isStopped = true;
    this.#report(
      `The session ${this.folder.id} was removed, or another process has taken it over. The conversation goes on, but nothing more of it is saved.`,
    );
  }

  async #stop(error: unknown): Promise<void> {
    this.#isStopped = true;
    this.#lost += this.#early.length;
    this.#early = [];
    const reason = await explain(error, this.folder.file, 'made');
    const why = reason instanceof Error ? reason.message : String(reason);
    this.#report(`The conversation goes on, but it is not saved, so it can't be resumed later. ${why}`);
  }
}

/** It only reads, in the project or by commands that are proven harmless: nothing to tell after a crash. */
const isHarmless = ({ trail = [] }: Decision): boolean =>
  trail.length > 0 &&
  trail.every(({ effect, basis }) => effect !== undefined && ['harmless', 'workspace', 'session'].includes(basis));

/** Undefined for what JSON has no word for. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
