// Writes a session to disk as it happens, from the events of the loop. Every record is in the file before the next thing
// that could go wrong: a prompt when it is given, a call that may change something before it begins, the answer when it is
// complete, each result when it is settled. So a killed process loses nothing that was done. The rest of a turn is written
// at its end, when all of it is synced to the disk.
import type { LeftCommand } from '../../contract/background.js';
import type { AgentHappening } from '../../contract/event.js';
import type {
  AssistantBlock,
  AssistantMessage,
  ToolResultBlock,
  UserBlock,
  UserMessage,
} from '../../contract/message.js';
import type { ModelFacts, Usage } from '../../contract/model.js';
import type { Decision, PermissionMode } from '../../contract/permission.js';
import type { SeenFile } from '../../contract/tool-context.js';
import { journaledBytes } from '../../platform/journal/session-changes.js';
import { addUsage, costOf, noUsage } from '../usage.js';
import type { ReportProblem } from './append-log.js';
import { SessionFile } from './session-file.js';
import { type SessionFolder, sessionFolder } from './session-folder.js';
import type { SessionLock } from './session-lock.js';
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
  onProblem?: ReportProblem | undefined;
}

/** What calls may change of a session, looked at when a turn ends. A `Session` is one. */
export interface WatchedState {
  readonly cwd: string;
  readonly mode: PermissionMode;
  readonly todos?: unknown;
  readonly plan?: string | undefined;
  /** Commands that run in the background. */
  readonly background?: readonly LeftCommand[] | undefined;
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
  readonly #file: SessionFile;
  #title: string | undefined;
  #totals = noTotals;
  #costBefore: number | null = 0;
  #state: WatchedState | undefined;
  readonly #written = new Map<string, string | undefined>();
  #seen = new Map<string, SeenFile>();
  readonly #harmless = new Set<string>();
  readonly #results = new Map<string, ToolResultBlock>();
  /** Complete blocks of the answer under way that are not in the file. */
  #blocks: AssistantBlock[] = [];
  /** Words and thoughts that belong to no complete block yet. */
  #said = '';
  #isThinking = false;
  /** A call was complete before the thinking that led to it. */
  #lacksThinking = false;
  /** The answer of this turn, once it is in the file as a whole. */
  #answer: AssistantMessage | undefined;

  constructor(options: SessionStoreOptions, beginning?: StoreBeginning) {
    this.#options = options;
    this.folder = options.agent?.folder ?? sessionFolder(options.dataFolder, options.id);
    this.#file = new SessionFile({
      dataFolder: options.dataFolder,
      folder: this.folder,
      header: () => this.#header(),
      lock: beginning?.lock,
      report: options.onProblem ?? ((sentence) => process.emitWarning(sentence, 'HelveWarning')),
    });
    if (!beginning) return;
    this.#title = beginning.title;
    this.#totals = beginning.totals;
    this.#add({ type: 'resume', damaged: beginning.damaged });
  }

  /** Records that are not on the disk: 0 as long as all is well. */
  get lost(): number {
    return this.#file.lost;
  }

  get totals(): SessionTotals {
    return this.#totals;
  }

  /** Takes the lock and opens the file. Never rejects: that a session can't be saved is reported, and it continues. */
  async open(): Promise<void> {
    await this.#file.open();
  }

  /** Looks at the directory, the mode, the todos and the plan with each result, and when a turn ends. */
  watch(state: WatchedState): void {
    this.#state = state;
  }

  /** What the model has seen of a file; kept with the next result. */
  saw(real: string, { hash, size, at, lines, merged }: SeenFile): void {
    // Without its bytes, which may be many.
    this.#seen.set(real, { hash, size, at, lines, ...(merged && { merged }) });
  }

  /** What the person says. It is in the file when this returns. */
  prompt(content: readonly UserBlock[]): void {
    this.#title ??= titleOf(content);
    const { agent, dataFolder, id } = this.#options;
    this.#add({ type: 'user', content, ...(!agent && { changes: journaledBytes(dataFolder, id) }) });
    this.#file.write();
  }

  /** The next complete block of the answer under way. Calls come by their events. */
  block(block: AssistantBlock): void {
    this.#blocks.push(block);
    this.#said = '';
    this.#isThinking = false;
  }

  /** The answer is complete; its calls may still be at work. It is in the file when this returns. */
  answered(message: AssistantMessage, { id, model }: { id: string; model: string }): void {
    this.#answer = message;
    this.#blocks = [];
    this.#add({ type: 'assistant', content: message.content, ...(id && { id }), ...(model && { model }) });
    this.#file.write();
  }

  rename(title: string): void {
    this.#title = title;
    this.#add({ type: 'title', title });
    this.#file.write();
  }

  /** All but the last `kept` messages have been replaced by the summary. */
  compacted(summary: readonly UserBlock[], kept: number): void {
    this.#add({ type: 'compaction', summary, kept });
    this.#file.flushSoon();
  }

  /** What stands in place of old results from now on, by the ids of their calls. */
  cleared(results: ReadonlyMap<string, string>): void {
    this.#add({ type: 'cleared', results: Object.fromEntries(results) });
    this.#file.flushSoon();
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
        this.#isThinking = true;
        return;
      case 'tool_call':
        if (!this.#answer) this.#callIsComplete(happening.callId, happening.tool, happening.input);
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
        this.#addBlocks();
        this.#add({ type: 'result', id, content, ...(is_error && { is_error }), ...(failure && { failure }) });
        this.#addState();
        this.#file.write();
        return;
      }
      case 'assistant_message':
        if (happening.message !== this.#answer) this.answered(happening.message, happening);
        return;
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
        this.#file.flushSoon();
        return;
      }
      case 'result': {
        const { outcome, costUsd } = happening;
        const known = this.#costBefore !== null && costUsd !== null;
        this.#totals = { ...this.#totals, costUsd: known ? (this.#costBefore ?? 0) + costUsd : null };
        this.#add({ type: 'run', outcome, total: this.#totals, ...this.#shownTitle() });
        this.#file.flushSoon();
        return;
      }
      default:
        return;
    }
  }

  /** Resolves when what was taken is on the disk, or could not be brought there and was reported. */
  async flushed(): Promise<void> {
    await this.#file.flushed();
  }

  /** Lets go of the session. Nothing of the store may be used after it. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  #count(used: Usage): void {
    const { usage, costUsd } = this.#totals;
    const { prices } = this.#options;
    const cost = costUsd === null ? null : costUsd + (prices ? costOf(used, prices) : 0);
    this.#totals = { ...this.#totals, usage: addUsage(usage, used), costUsd: cost };
  }

  #callIsComplete(id: string, name: string, input: unknown): void {
    if (this.#said.trim() !== '') this.#blocks.push({ type: 'text', text: this.#said });
    this.#said = '';
    this.#lacksThinking ||= this.#isThinking; // thinking that begins later belongs to later calls
    this.#blocks.push({ type: 'tool_use', id, name, input });
  }

  #callStarts(id: string, tool: string): void {
    this.#addBlocks();
    this.#add({ type: 'call', id, tool });
    this.#file.write();
  }

  /** Whatever becomes of the rest of the answer, what is known of a call stands behind the words that led to it. */
  #addBlocks(): void {
    if (this.#blocks.length === 0) return;
    const thought = this.#lacksThinking ? ({ thought: true } as const) : {};
    this.#add({ type: 'blocks', content: this.#blocks, ...thought });
    this.#blocks = [];
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
    this.#isThinking = false;
    this.#lacksThinking = false;
    this.#blocks = [];
    this.#answer = undefined;
    this.#harmless.clear();
    this.#results.clear();
  }

  #addState(): void {
    const { cwd, mode, todos, plan, background } = this.#state ?? {};
    if (cwd !== undefined) this.#addChanged({ type: 'cwd', cwd });
    if (mode !== undefined) this.#addChanged({ type: 'mode', mode });
    if (todos !== undefined) this.#addChanged({ type: 'todos', todos });
    if (plan !== undefined) this.#addChanged({ type: 'plan', plan });
    if (background !== undefined) this.#addChanged({ type: 'background', commands: background });
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
    this.#file.add({ ...record, at: Date.now() });
  }

  #header(): SessionHeader {
    const { id, root, model, agent } = this.#options;
    return {
      type: 'session',
      v: SESSION_FORMAT,
      id,
      root,
      created: new Date().toISOString(),
      model,
      title: this.#title ?? '',
      ...(agent && { agent: agent.facts }),
    };
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
