import type { AgentHappening } from '../../contract/event.js';
import type {
  AssistantBlock,
  AssistantMessage,
  ToolResultBlock,
  UserBlock,
  UserMessage,
} from '../../contract/message.js';
import type { Usage } from '../../contract/model.js';
import type { Decision } from '../../contract/permission.js';
import type { SeenFile } from '../../contract/tool-context.js';
import { journaledBytes } from '../../platform/journal/session-changes.js';
import { addUsage, costOf } from '../usage.js';
import { joinUses, sum } from '../usage-by-model.js';
import { recordedDisplay } from './recorded-display.js';
import { SessionFile } from './session-file.js';
import { type SessionFolder, sessionFolder } from './session-folder.js';
import {
  type RunTotals,
  SESSION_FORMAT,
  type SessionHeader,
  type SessionTotals,
  type Unwritten,
} from './session-record.js';
import type { SessionStoreOptions, StoreBeginning, WatchedState } from './session-store-options.js';
import { titleOf } from './session-title.js';
import { noRuns, noTotals } from './session-totals.js';

export class SessionStore {
  readonly folder: SessionFolder;
  readonly #options: SessionStoreOptions;
  readonly #file: SessionFile;
  #title: string | undefined;
  #totals = noTotals;
  #costBefore: number | null = 0;
  /** Of earlier processes. */
  #runsBefore: RunTotals | undefined;
  #state: WatchedState | undefined;
  readonly #written = new Map<string, string | undefined>();
  #seen = new Map<string, SeenFile>();
  readonly #harmless = new Set<string>();
  readonly #results = new Map<string, ToolResultBlock>();
  /** Complete blocks of the current answer that are not in the file. */
  #blocks: AssistantBlock[] = [];
  /** Text and thinking of the incomplete block. */
  #said = '';
  #isThinking = false;
  /** Whether a call was complete before the thinking that precedes it. */
  #lacksThinking = false;
  /** The answer of this turn, once it is in the file as a whole. */
  #answer: AssistantMessage | undefined;
  /** The calls that run now are those of an answer that an earlier process has recorded. */
  #isReopened = false;

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
    this.#isReopened = beginning.reopens === true;
    this.#add({ type: 'resume', damaged: beginning.damaged, ...(beginning.reopens && { reopened: true }) });
  }

  /** The number of records that are not on disk. */
  get lost(): number {
    return this.#file.lost;
  }

  get totals(): SessionTotals {
    return this.#totals;
  }

  /** Takes the lock and opens the file. Never rejects: a session that can't be saved is reported, and continues. */
  async open(): Promise<void> {
    await this.#file.open();
  }

  /** Creates the file before the first prompt, so that other processes find the session by its id. Never rejects. */
  async announce(): Promise<void> {
    await this.#file.announce();
  }

  /** Records changes of the directory, the mode, the todos and the plan with each result, and at the end of a turn. */
  watch(state: WatchedState): void {
    this.#state = state;
  }

  /** Writes tasks that have changed, synchronously: their servers work on whatever happens to this process. */
  tasksChanged(): void {
    this.#addTasks();
    this.#file.write();
  }

  /** Writes a goal that has changed, once there was a prompt. */
  goalChanged(): void {
    if (this.#title === undefined) return;
    this.#addGoal();
    this.#file.write();
  }

  /** Records the lines of a file that the model has seen; written with the next result. */
  saw(real: string, { hash, size, at, lines, merged }: SeenFile): void {
    // Without its bytes, which may be large.
    this.#seen.set(real, { hash, size, at, lines, ...(merged && { merged }) });
  }

  /** Writes a prompt of the person synchronously. */
  prompt(content: readonly UserBlock[]): void {
    this.#title ||= titleOf(content);
    const { agent, dataFolder, id } = this.#options;
    const { promptId } = this.#state ?? {};
    this.#add({
      type: 'user',
      content,
      ...(!agent && { changes: journaledBytes(dataFolder, id) }),
      ...(promptId !== undefined && { promptId }),
    });
    this.#addGoal();
    this.#file.write();
  }

  /** Adds the next complete block of the current answer. Calls are added by their events. */
  block(block: AssistantBlock): void {
    this.#blocks.push(block);
    this.#said = '';
    this.#isThinking = false;
  }

  /** Writes a complete answer synchronously; its calls may still run. */
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

  /** The run that an earlier process could not finish is over: it does not go on. */
  stopped(): void {
    this.#add({ type: 'run', outcome: 'interrupted', total: this.#totals, ...this.#shownTitle() });
    this.#file.flushSoon();
  }

  /** All but the last `kept` messages have been replaced by the summary. */
  compacted(summary: readonly UserBlock[], kept: number): void {
    this.#add({ type: 'compaction', summary, kept });
    this.#file.flushSoon();
  }

  /** Placeholders that replace old results from now on, by call id. */
  cleared(results: ReadonlyMap<string, string>): void {
    this.#add({ type: 'cleared', results: Object.fromEntries(results) });
    this.#file.flushSoon();
  }

  /** The content of these files has left the conversation, or is about to. */
  forgot(files: readonly string[]): void {
    for (const real of files) this.#seen.delete(real); // otherwise it would be written later, as if seen again
    this.#add({ type: 'forgotten', files });
  }

  /** Records an event of the loop or a call. */
  take(happening: AgentHappening): void {
    switch (happening.type) {
      case 'session_start':
        // `#runsBefore` is set once: the models of a result are those of this process.
        if (this.#runsBefore === undefined) this.#costBefore = this.#totals.costUsd;
        this.#runsBefore ??= this.#totals.runs ?? noRuns;
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
        if (!this.#answer && !this.#isReopened) this.#callIsComplete(happening.callId, happening.tool, happening.input);
        return;
      case 'permission_decision':
        if (isHarmless(happening.decision)) this.#harmless.add(happening.callId);
        else this.#harmless.delete(happening.callId);
        // The question may stay open for long, and the call is asked about again if this process is killed meanwhile.
        if (happening.decision.behavior === 'ask') this.#writeBlocks();
        return;
      case 'tool_start':
        if (this.#harmless.has(happening.callId)) return;
        if (this.#state?.onlyAsks?.(happening.tool)) this.#writeBlocks();
        else this.#callStarts(happening.callId, happening.tool);
        return;
      case 'tool_result': {
        const { callId: id, result, failure, problem, display } = happening;
        const { content, is_error } = result;
        this.#results.set(id, result);
        this.#addBlocks();
        this.#add({
          type: 'result',
          id,
          content,
          ...(is_error && { is_error }),
          ...(failure && { failure }),
          ...(problem !== undefined && { problem }),
          display: recordedDisplay(display),
        });
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
      case 'model_retry':
        if (happening.usage) this.#count(happening.usage);
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
        const { outcome, models, modelMs, totalMs } = happening;
        const runs = this.#totals.runs ?? noRuns;
        this.#totals = {
          ...this.#totals,
          costUsd: models.map(({ costUsd }) => costUsd).reduce(sum, this.#costBefore), // with judges and child agents
          runs: {
            ...runs,
            prompts: runs.prompts + 1,
            models: joinUses(this.#runsBefore?.models ?? [], models),
            modelMs: runs.modelMs + modelMs,
            totalMs: runs.totalMs + totalMs,
          },
        };
        this.#add({ type: 'run', outcome, total: this.#totals, ...this.#shownTitle() });
        this.#file.flushSoon();
        return;
      }
      default:
        return;
    }
  }

  /** Resolves once the recorded events are on disk, or a failure was reported. */
  async flushed(): Promise<void> {
    await this.#file.flushed();
  }

  /** Releases the session. The store must not be used afterwards. */
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

  #writeBlocks(): void {
    if (this.#blocks.length === 0) return;
    this.#addBlocks();
    this.#file.write();
  }

  /** Writes the blocks before a call, so that they are known even if the rest of the answer is lost. */
  #addBlocks(): void {
    if (this.#blocks.length === 0) return;
    const thought = this.#lacksThinking ? ({ thought: true } as const) : {};
    this.#add({ type: 'blocks', content: this.#blocks, ...thought });
    this.#blocks = [];
  }

  /** Omits the content of results that are already in the file. */
  #withoutKnownResults({ content }: UserMessage) {
    return content.map((block) => {
      if (block.type !== 'tool_result' || this.#results.get(block.tool_use_id) !== block) return block;
      return { type: 'tool_result', tool_use_id: block.tool_use_id } as const;
    });
  }

  #forgetTurn(): void {
    this.#isReopened = false;
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
    this.#addTasks();
    if (this.#seen.size === 0) return;
    const files = Object.fromEntries(
      [...this.#seen].map(([real, { at, ...seen }]) => [real, { ...seen, at: at.getTime() }]),
    );
    this.#seen = new Map();
    this.#add({ type: 'seen', files });
  }

  #addGoal(): void {
    const { goal } = this.#state ?? {};
    if (goal !== undefined) this.#addChanged({ type: 'goal', goal });
  }

  #addTasks(): void {
    const { tasks } = this.#state ?? {};
    if (tasks !== undefined) this.#addChanged({ type: 'tasks', tasks });
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
    const { id, root, model, provider, agent } = this.#options;
    return {
      type: 'session',
      v: SESSION_FORMAT,
      id,
      root,
      created: new Date().toISOString(),
      model,
      ...(provider !== undefined && { provider }),
      title: this.#title ?? '',
      ...(agent && { agent: agent.facts }),
    };
  }
}

/** Whether the call only reads, so that there is nothing to report after a crash. */
const isHarmless = ({ trail = [] }: Decision): boolean =>
  trail.length > 0 &&
  trail.every(({ effect, basis }) => effect !== undefined && ['harmless', 'workspace', 'session'].includes(basis));

/** Undefined if the value can't be serialized. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
