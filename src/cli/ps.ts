// `helve ps`: the sessions of this machine, with what each does now.
import { basename } from 'node:path';
import { readSchedules } from '../agent/schedule/schedules.js';
import { columnCost } from '../agent/store/export-session.js';
import type { ListedPresence } from '../agent/store/presence.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { messageOf } from '../platform/message-of.js';
import { jsonLine } from '../platform/text/json-line.js';
import { fullyVisible, visible } from '../platform/text/visible.js';
import { readArgs } from './args.js';
import { SHORT_CHARS, sessionsHere } from './background/background-sessions.js';
import { exitCode } from './exit-codes.js';
import { terminalWidth } from './terminal-width.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

const MAX_PROJECT_CHARS = 16;

const flags = { all: { type: 'boolean' }, json: { type: 'boolean' } } as const;

export async function ps(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  if (positionals[0] !== undefined) throw new UsageProblem(`helve ps takes no argument such as "${positionals[0]}".`);
  const found = await sessionsHere(dataFolderOf(), { all: values.all === true });
  if (values.json) {
    for (const session of found) await writeLine(process.stdout, jsonLine(shownJson(session)));
    return exitCode.ok;
  }
  for (const sentence of heldSchedules(dataFolderOf())) await writeLine(process.stderr, `helve: ${visible(sentence)}`);
  if (found.length === 0) {
    await writeLine(process.stderr, 'helve: No session is at work. helve --bg "…" starts one in the background.');
    return exitCode.ok;
  }
  for (const line of psTable(found, { now: Date.now(), width: terminalWidth() })) await writeLine(process.stdout, line);
  return exitCode.ok;
}

/** Schedules that need a person. */
function heldSchedules(dataFolder: string): string[] {
  try {
    return readSchedules(dataFolder).flatMap(({ id, held, last }) => {
      if (held !== undefined) return [`The schedule ${id} waits. ${held}`];
      return last?.outcome === 'failed' ? [`The schedule ${id} failed. ${last.problem ?? ''}`] : [];
    });
  } catch (error) {
    return [messageOf(error)];
  }
}

const stateWords = {
  waiting: 'waiting for you',
  running: 'running',
  failed: 'failed',
  interrupted: 'interrupted',
  idle: 'idle',
} as const satisfies Record<ListedPresence['state'], string>;

/** Those that need a person first. Each is one line: what does not fit is cut. */
export function psTable(
  found: readonly ListedPresence[],
  { now, width = Number.POSITIVE_INFINITY }: { now: number; width?: number | undefined },
): string[] {
  const order = Object.keys(stateWords);
  const sorted = found.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  const rows = sorted.map(({ id, state, root, worktree, costUsd, changed, activity, title, surface }) => [
    id.slice(0, SHORT_CHARS),
    stateWords[state],
    shownPlace({ root, worktree }),
    columnCost(costUsd),
    age(now - changed),
    inOneLine(activity === '' ? title : activity) + (surface === 'background' ? '' : ` (${surfaceWords[surface]})`),
  ]);
  const all = [['ID', 'STATE', 'PROJECT', 'COST', 'FOR', 'NOW'], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => {
    const cells = widths.map((columns, index) => (row[index] ?? '').padEnd(columns));
    return cut([...cells, row[5] ?? ''].join('  '), width).trimEnd();
  });
}

/** The name of the folder, with that of the worktree. */
function shownPlace({ root, worktree }: Pick<ListedPresence, 'root' | 'worktree'>): string {
  const name = (text: string): string => cut(inOneLine(text), MAX_PROJECT_CHARS);
  return worktree ? `${name(basename(worktree.project))}:${name(worktree.name)}` : name(basename(root));
}

/** A command of several lines must not look like several sessions. */
const inOneLine = (text: string): string => fullyVisible(text.replace(/\s+/g, ' '));

const surfaceWords = { terminal: 'terminal', print: 'helve -p', acp: 'editor' } as const;

const cut = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, Math.max(0, chars - 1))}…`;

function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** One object a line. Times are ISO 8601. */
const shownJson = ({ id, surface, owner, isLive, since, changed, ...facts }: ListedPresence) => ({
  id,
  kind: surface,
  ...facts,
  ...(isLive && { pid: owner.pid }),
  since: new Date(since).toISOString(),
  changed: new Date(changed).toISOString(),
});
