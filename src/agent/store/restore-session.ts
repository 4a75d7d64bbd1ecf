// Restores a conversation from a session's records. The history is valid wherever the file was cut: a
// call that started and has no result is answered as interrupted, and a lost part of a turn does not affect other parts.
import { statSync } from 'node:fs';
import type { LeftCommand } from '../../contract/background.js';
import type { FailureKind } from '../../contract/failure.js';
import type { AssistantBlock, Message, ToolResultBlock, ToolUseBlock } from '../../contract/message.js';
import { modeWords, type PermissionMode } from '../../contract/permission.js';
import type { ToolDisplay } from '../../contract/tool.js';
import type { SeenFile } from '../../contract/tool-context.js';
import { withCleared } from '../context/clear-results.js';
import type { StoredGoal } from '../goals/goal-state.js';
import {
  continuedText,
  DAMAGED_PROBLEM,
  DAMAGED_RESULT,
  INTERRUPTED_PROBLEM,
  interruptedText,
  NOT_BEGUN_PROBLEM,
  notBegunText,
} from './interrupted-calls.js';
import { KilledRuns } from './killed-runs.js';
import { OpenTasks } from './open-tasks.js';
import type { ReadLine } from './read-session.js';
import { isDisplay } from './recorded-display.js';
import { type KnownResult, repaired, report, resultBlock, withObjectInput, wordsOf } from './restored-messages.js';
import type { OpenCalls, RestoredSession } from './restored-session.js';
import type { SessionHeader, SessionRecord } from './session-record.js';
import { titleOf } from './session-title.js';
import { noTotals } from './session-totals.js';

export interface RestoreOptions {
  /** Calls of the last answer that had not begun stay open, to be run now; otherwise each gets a result that says so. */
  reopen?: boolean;
  /** Includes messages that a compaction removed: for display, not to continue the conversation. */
  whole?: boolean;
  /** A mode that replaces the mode of the session. */
  mode?: PermissionMode | undefined;
}

export function restoreSession(lines: Iterable<ReadLine>, options: RestoreOptions = {}): RestoredSession {
  const history = new History(options);
  for (const line of lines) history.take(line);
  return history.restored();
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

type RecordOf<Type extends SessionRecord['type']> = Extract<SessionRecord, { type: Type }>;

class History {
  readonly #options: RestoreOptions;
  #header: SessionHeader | undefined;
  #messages: Message[] = [];
  readonly #callIds = new Set<string>();
  readonly #interrupted: Array<{ id: string; tool: string; input: unknown }> = [];
  /** The part of an answer that was complete when the process ended, if the whole answer does not follow. */
  #blocks: AssistantBlock[] = [];
  #lacksThinking = false;
  readonly #begun = new Set<string>();
  /** Results of the turn that is being read. */
  #results = new Map<string, KnownResult>();
  readonly #failures = new Map<string, { kind: FailureKind; problem: string | undefined }>();
  readonly #displays = new Map<string, ToolDisplay>();
  /** The message whose results are in a later record. */
  #asked: readonly AssistantBlock[] | undefined;
  #cwd: string | undefined;
  #mode: PermissionMode = 'default';
  #todos: unknown;
  #plan: string | undefined;
  #goal: StoredGoal | null | undefined;
  #background: readonly LeftCommand[] = [];
  #backgroundIs: 'current' | 'left' | 'told' = 'current';
  readonly #tasks = new OpenTasks();
  readonly #ledger = new Map<string, SeenFile>();
  #totals = noTotals;
  readonly #killedRuns = new KilledRuns();
  #title: string | undefined;
  #firstPrompt = '';
  #at: number | undefined;
  #changes: number | undefined;
  readonly #promptIds: string[] = [];
  #isUnfinished = false;
  readonly #damaged: number[] = [];
  #unmentioned: number[] = [];

  constructor(options: RestoreOptions) {
    this.#options = options;
  }

  take({ number, line }: ReadLine): void {
    if (!line) {
      this.#damaged.push(number);
      this.#unmentioned.push(number);
    } else if (line.type === 'session') this.#header ??= line;
    else if (line.type !== 'unknown') {
      this.#at = line.at;
      this.#takeRecord(line);
    }
  }

  #takeRecord(record: SessionRecord): void {
    this.#killedRuns.take(record);
    switch (record.type) {
      case 'user':
        this.#changes = record.changes ?? this.#changes;
        if (record.promptId !== undefined) this.#promptIds.push(record.promptId);
        this.#isUnfinished = true;
        this.#firstPrompt ||= titleOf(wordsOf(record.content));
        this.#takeUser(record);
        return;
      case 'assistant':
        this.#takeAssistant(record);
        return;
      case 'blocks':
        this.#blocks.push(...record.content.map(withObjectInput));
        this.#lacksThinking ||= record.thought === true;
        return;
      case 'call':
        this.#takeCall(record);
        return;
      case 'result':
        this.#results.set(record.id, record);
        this.#tasks.answered(record.id);
        if (record.failure) this.#failures.set(record.id, { kind: record.failure, problem: record.problem });
        if (isDisplay(record.display)) this.#displays.set(record.id, record.display);
        return;
      case 'cwd':
        this.#cwd = record.cwd;
        return;
      case 'mode':
        this.#mode = record.mode;
        return;
      case 'todos':
        this.#todos = record.todos;
        return;
      case 'goal':
        this.#goal = record.goal;
        return;
      case 'plan':
        this.#plan = record.plan;
        return;
      case 'background':
        this.#background = record.commands;
        this.#backgroundIs = 'current';
        return;
      case 'tasks':
        this.#tasks.set(record.tasks);
        return;
      case 'seen':
        for (const [real, { hash, size, at, lines, merged }] of Object.entries(record.files)) {
          this.#ledger.set(real, { hash, size, at: new Date(at), lines, ...(merged === true && { merged }) });
        }
        return;
      case 'turn':
        this.#closeAsked();
        // A withdrawn answer has no message, and its blocks are dropped.
        this.#forgetBlocks();
        this.#results.clear();
        this.#totals = record.total;
        this.#title = record.title ?? this.#title;
        return;
      case 'run':
        this.#isUnfinished = false;
        this.#totals = record.total;
        this.#title = record.title ?? this.#title;
        return;
      case 'title':
        this.#title = record.title;
        return;
      case 'compaction': {
        if (this.#options.whole) return;
        this.#closeTurn();
        const kept = record.kept > 0 ? repaired(this.#messages).slice(-record.kept) : [];
        this.#messages = [{ role: 'user', content: record.summary }, ...kept];
        return;
      }
      case 'cleared':
        if (this.#options.whole) return;
        this.#closeTurn();
        this.#messages = withCleared(repaired(this.#messages), new Map(Object.entries(record.results)));
        return;
      case 'forgotten':
        for (const real of record.files) this.#ledger.delete(real);
        return;
      case 'resume':
        if (!record.reopened || !this.#keepOpen()) this.#closeTurn();
        if (this.#backgroundIs === 'current') this.#backgroundIs = 'left';
        this.#interrupted.length = 0; // these, and the damaged lines, were already reported to the person
        this.#unmentioned = this.#unmentioned.filter((number) => !record.damaged.includes(number));
        return;
    }
  }

  #takeUser({ content }: RecordOf<'user'>): void {
    this.#tasks.prompted();
    if (this.#backgroundIs === 'left') this.#backgroundIs = 'told'; // informed with this prompt
    if (this.#asked) {
      this.#messages.push({ role: 'user', content: [...this.#answers(this.#asked, content), ...wordsOf(content)] });
      this.#asked = undefined;
      return;
    }
    this.#closeTurn();
    const words = wordsOf(content);
    if (words.length > 0) this.#messages.push({ role: 'user', content: words });
  }

  #takeAssistant({ content }: RecordOf<'assistant'>): void {
    this.#closeAsked();
    const isFit = content.every((block) => block === withObjectInput(block));
    this.#messages.push({ role: 'assistant', content: isFit ? content : content.map(withObjectInput) });
    const ids = content.filter((block) => block.type === 'tool_use').map(({ id }) => id);
    for (const id of ids) this.#callIds.add(id);
    this.#forgetBlocks();
    this.#asked = ids.length > 0 ? content : undefined;
  }

  #takeCall({ id, tool, input, said, thought }: RecordOf<'call'>): void {
    this.#begun.add(id);
    const isKnown = this.#callIds.has(id) || this.#blocks.some((block) => block.type === 'tool_use' && block.id === id);
    if (isKnown) return;
    if (said?.trim()) this.#blocks.push({ type: 'text', text: said });
    this.#blocks.push(withObjectInput({ type: 'tool_use', id, name: tool, input }));
    this.#lacksThinking ||= thought === true;
  }

  #forgetBlocks(): void {
    this.#blocks = [];
    this.#lacksThinking = false;
  }

  /** One result for each call, from the record with the results, or from the single result records if that is lost. */
  #answers(asked: readonly AssistantBlock[], given: RecordOf<'user'>['content']): ToolResultBlock[] {
    const inRecord = new Map<string, ToolResultBlock>();
    const named = new Set<string>();
    for (const block of given) {
      if (block.type !== 'tool_result') continue;
      named.add(block.tool_use_id);
      if (block.content !== undefined) inRecord.set(block.tool_use_id, block);
    }
    return asked.flatMap((block): ToolResultBlock[] => {
      if (block.type !== 'tool_use') return [];
      const { id, name, input } = block;
      const known = this.#results.get(id);
      this.#results.delete(id);
      const result = inRecord.get(id) ?? (known && resultBlock(known));
      if (result) return [result];
      if (named.has(id)) {
        this.#failures.set(id, { kind: 'exception', problem: DAMAGED_PROBLEM });
        return [{ type: 'tool_result', tool_use_id: id, content: DAMAGED_RESULT, is_error: true }];
      }
      const hasBegun = this.#begun.has(id);
      const task = this.#tasks.ofCall(id);
      if (hasBegun && !task) this.#interrupted.push({ id, tool: name, input });
      const content = task ? continuedText(name, task.id) : hasBegun ? interruptedText(name) : notBegunText(name);
      const problem = hasBegun ? INTERRUPTED_PROBLEM : NOT_BEGUN_PROBLEM;
      this.#failures.set(id, { kind: 'interrupted', problem });
      return [{ type: 'tool_result', tool_use_id: id, content, is_error: true }];
    });
  }

  #closeAsked(): void {
    if (!this.#asked) return;
    this.#messages.push({ role: 'user', content: this.#answers(this.#asked, []) });
    this.#asked = undefined;
  }

  /** Handles the end of a process, in the middle of a turn or between two. */
  #closeTurn(): void {
    this.#closeAsked();
    const asked = this.#blocks;
    const calls = asked.filter((block) => block.type === 'tool_use');
    if (calls.length > 0) {
      for (const { id } of calls) this.#callIds.add(id);
      const answers = this.#answers(asked, []);
      if (this.#lacksThinking) this.#messages.push(report(calls, answers));
      else this.#messages.push({ role: 'assistant', content: asked }, { role: 'user', content: answers });
    }
    this.#forgetBlocks();
    this.#results.clear();
  }

  /** Leaves the calls of the last answer open. False if none of them can still be run. */
  #keepOpen(): boolean {
    const asked = this.#asked ?? (this.#lacksThinking ? [] : this.#blocks);
    const hasOpen = asked.some(
      (block) =>
        block.type === 'tool_use' &&
        !this.#results.has(block.id) &&
        !this.#begun.has(block.id) &&
        !this.#tasks.ofCall(block.id),
    );
    if (!hasOpen) return false;
    if (!this.#asked) {
      for (const block of asked) if (block.type === 'tool_use') this.#callIds.add(block.id);
      this.#messages.push({ role: 'assistant', content: asked });
      this.#asked = asked;
      this.#forgetBlocks();
    }
    return true;
  }

  #openCalls(): OpenCalls | undefined {
    if (!this.#options.reopen || !this.#keepOpen()) return undefined;
    const asked = this.#asked ?? [];
    this.#asked = undefined;
    const calls = asked.filter((block) => block.type === 'tool_use');
    const isOver = ({ id }: ToolUseBlock): boolean =>
      this.#results.has(id) || this.#begun.has(id) || this.#tasks.ofCall(id) !== undefined;
    const over = this.#answers(calls.filter(isOver), []);
    this.#results.clear();
    return { calls, results: new Map(over.map((result) => [result.tool_use_id, result])) };
  }

  restored(): RestoredSession {
    const openCalls = this.#openCalls();
    this.#closeTurn();
    const root = this.#header?.root ?? this.#cwd;
    const notes = this.#damageNotes();
    const isThere = this.#cwd === undefined || isFolder(this.#cwd);
    if (!isThere) notes.push(`The folder ${this.#cwd} is gone, so commands start in ${root} again.`);
    const isEscalated = this.#mode === 'bypassPermissions' || this.#mode === 'acceptEdits';
    const { mode: chosen } = this.#options;
    if (isEscalated && !chosen)
      notes.push(`The mode "${modeWords[this.#mode]}" is not restored. Choose it again if you want it.`);
    return {
      header: this.#header,
      title: this.#title || this.#header?.title || this.#firstPrompt,
      messages: openCalls
        ? [...repaired(this.#messages.slice(0, -1)), ...this.#messages.slice(-1)]
        : repaired(this.#messages),
      openCalls,
      promptIds: this.#promptIds,
      isUnfinished: this.#isUnfinished,
      failures: this.#failures,
      displays: this.#displays,
      callIds: [...this.#callIds],
      interrupted: this.#interrupted,
      root,
      cwd: isThere ? (this.#cwd ?? root) : root,
      mode: chosen ?? (isEscalated ? 'default' : this.#mode),
      todos: this.#todos,
      plan: this.#plan,
      goal: this.#goal,
      background: this.#background,
      tasks: this.#tasks.open,
      isBackgroundTold: this.#backgroundIs === 'told',
      ledger: this.#ledger,
      totals: this.#killedRuns.addTo(this.#totals),
      at: this.#at,
      changes: this.#changes,
      damaged: this.#damaged,
      notes,
    };
  }

  #damageNotes(): string[] {
    const lines = this.#unmentioned;
    if (lines.length === 0) return [];
    const which = lines.length === 1 ? `Line ${lines[0]}` : `Lines ${listed(lines)}`;
    return [
      `${which} of the session's file can't be read, as after a crash or a full disk. ${lines.length === 1 ? 'What it said is' : 'What they said is'} missing; everything else is here.`,
    ];
  }
}

const MAX_LISTED = 10;

function listed(numbers: readonly number[]): string {
  const more = numbers.length - MAX_LISTED;
  return numbers.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
