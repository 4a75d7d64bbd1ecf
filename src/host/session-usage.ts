// What a session has used turn by turn, and its to-do list and mode, from its file. The file only grows, so each look reads
// what is new since the one before.
import { statSync } from 'node:fs';
import { readSession } from '../agent/store/read-session.js';
import { sessionFolder } from '../agent/store/session-folder.js';
import type { SessionTotals } from '../agent/store/session-record.js';
import { type Todo, todosFrom } from '../contract/todo.js';

const MAX_POINTS = 200;
const MAX_KEPT = 32; // sessions whose position is remembered
const WANTED = ['"type":"turn"', '"type":"todos"', '"type":"mode"', '"type":"run"', '"type":"session"', '"changes":'];

/** What one turn used, or several that follow each other, in a session of many. */
export interface UsagePoint {
  /** The number of the last of them. */
  turn: number;
  turns: number;
  /** Milliseconds since the epoch. */
  at: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  /** How many tokens the last request had. */
  contextTokens: number;
  /** US dollars; null if the price is not known. */
  costUsd: number | null;
}

export interface UsageOverTime {
  points: readonly UsagePoint[];
  total: SessionTotals | undefined;
  todos: readonly Todo[];
  mode: string | undefined;
  model: string | undefined;
  /** When the last prompt was sent: milliseconds since the epoch. */
  promptAt: number | undefined;
}

interface Position {
  file: string;
  end: number;
  points: UsagePoint[];
  total: SessionTotals | undefined;
  todos: readonly Todo[];
  mode: string | undefined;
  model: string | undefined;
  promptAt: number | undefined;
}

const unread = { total: undefined, todos: [], mode: undefined, model: undefined, promptAt: undefined };

export class SessionUsageReader {
  readonly #dataFolder: string;
  /** The latest used last. */
  readonly #positions = new Map<string, Position>();

  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder;
  }

  /** Throws `SessionProblem` if there is no such session. */
  read(id: string): UsageOverTime {
    const folder = sessionFolder(this.#dataFolder, id);
    const stats = statSync(folder.file, { throwIfNoEntry: false });
    const file = String(stats?.ino);
    const before = this.#positions.get(id);
    const isSame = before?.file === file && before.end <= (stats?.size ?? 0);
    const at: Position = isSame ? before : { ...unread, file, end: 0, points: [] };
    for (const { line, end, damaged } of readSession(folder, { withoutLarge: true, from: at.end, only: WANTED })) {
      if (damaged?.torn) break; // it is being written
      at.end = end;
      if (line?.type === 'session')
        at.model = line.provider === undefined ? line.model : `${line.provider}/${line.model}`;
      else if (line?.type === 'todos') at.todos = todosFrom(line.todos) ?? [];
      else if (line?.type === 'mode') at.mode = line.mode;
      else if (line?.type === 'run') at.total = line.total;
      else if (line?.type === 'user' && line.changes !== undefined)
        at.promptAt = line.at; // results have no `changes`
      else if (line?.type === 'turn') {
        at.points.push(pointOf(line, at.total));
        at.total = line.total;
        if (at.points.length >= 2 * MAX_POINTS) at.points = halved(at.points);
      }
    }
    this.#positions.delete(id);
    this.#positions.set(id, at);
    const [oldest] = this.#positions.keys();
    if (this.#positions.size > MAX_KEPT && oldest !== undefined) this.#positions.delete(oldest);
    return { ...at, points: at.points.length > MAX_POINTS ? halved(at.points) : at.points };
  }
}

interface TurnLine {
  at: number;
  usage: SessionTotals['usage'];
  total: SessionTotals;
}

function pointOf({ at, usage, total }: TurnLine, before: SessionTotals | undefined): UsagePoint {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  const spent = before === undefined ? 0 : before.costUsd;
  return {
    turn: total.turns,
    turns: 1,
    at,
    inputTokens: input_tokens + cache_creation_input_tokens,
    outputTokens: output_tokens,
    cacheReadTokens: cache_read_input_tokens,
    contextTokens: input_tokens + cache_read_input_tokens + cache_creation_input_tokens + output_tokens,
    costUsd: total.costUsd === null || spent === null ? null : Math.max(0, total.costUsd - spent),
  };
}

/** Each two that follow each other as one. */
function halved(points: readonly UsagePoint[]): UsagePoint[] {
  const half: UsagePoint[] = [];
  for (let index = 0; index < points.length; index += 2) {
    const [one, other] = [points[index], points[index + 1]];
    if (one && other) half.push(joined(one, other));
    else if (one) half.push(one);
  }
  return half;
}

const joined = (one: UsagePoint, other: UsagePoint): UsagePoint => ({
  ...other,
  turns: one.turns + other.turns,
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  costUsd: one.costUsd === null || other.costUsd === null ? null : one.costUsd + other.costUsd,
});
