import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import type { UserBlock } from '../../contract/message.js';
import type { SessionSummary } from '../../contract/session-summary.js';
import { openFlags } from '../../platform/files/private-files.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import { isSessionId, type SessionFolder, sessionFolder, sessionsFolder } from './session-folder.js';
import { isInUse } from './session-lock.js';
import { SessionProblem } from './session-problem.js';
import { checkedLine, type RecordedUserBlock, type SessionHeader, type SessionLine } from './session-record.js';
import { titleOf } from './session-title.js';

const FIRST_BYTES = 4_096;
const MAX_HEADER_BYTES = 64 * 1024;
const TAIL_BYTES = 8_192; // holds the last turn's record, unless a long prompt or call came after it

/**
 * The sessions, the latest first; of one project if `root` is given. Sessions that never had a prompt are left out. Reads
 * only the beginning and the end of each file.
 */
export async function listSessions(dataFolder: string, { root }: { root?: string } = {}): Promise<SessionSummary[]> {
  const summaries: SessionSummary[] = [];
  for (const id of sessionIds(dataFolder)) {
    const folder = sessionFolder(dataFolder, id);
    const summary = summarize(folder);
    if (!summary || summary.isEmpty || (root !== undefined && summary.root !== root)) continue;
    const { isEmpty: _, ...shown } = summary;
    summaries.push({ ...shown, inUse: existsSync(folder.lock) && (await isInUse(folder)) });
  }
  return summaries.toSorted((one, other) => other.updated.getTime() - one.updated.getTime());
}

/** The ids of all that are kept, in no order. */
export function sessionIds(dataFolder: string): string[] {
  try {
    return readdirSync(sessionsFolder(dataFolder)).filter(isSessionId);
  } catch {
    return []; // no session yet
  }
}

/** The project of a session; undefined if its file does not name it. */
export const projectOf = (dataFolder: string, id: string): string | undefined =>
  summarize(sessionFolder(dataFolder, id))?.root;

/** The model that a session began with, as it can be named; undefined if its file does not say. */
export function modelOf(dataFolder: string, id: string): string | undefined {
  const { model, provider } = summarize(sessionFolder(dataFolder, id)) ?? {};
  const isNamed = model !== undefined && provider !== undefined && provider !== 'scripted'; // which names a file
  return isNamed ? `${provider}/${model}` : model;
}

/** Whether there is only what was written before the first prompt. */
export const isEmptySession = (folder: SessionFolder): boolean => summarize(folder)?.isEmpty ?? false;

/** What the file of one session says; undefined if it can't be read. */
export const summaryOf = (dataFolder: string, id: string): FileSummary | undefined =>
  summarize(sessionFolder(dataFolder, id));

export interface FileSummary extends Omit<SessionSummary, 'inUse'> {
  /** It never had a prompt. */
  isEmpty: boolean;
  provider?: string;
}

function summarize({ id, file }: SessionFolder): FileSummary | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, openFlags.read);
  } catch {
    return undefined; // a folder with only results, or one that is being removed
  }
  try {
    const { size, mtime, birthtime } = fstatSync(descriptor);
    const header = headerOf(descriptor, size);
    const last = lastTotals(descriptor, size);
    const named = last?.title ?? header?.title ?? '';
    const start = last === undefined && header && named === '' ? begunWith(descriptor, size) : undefined;
    return {
      id,
      title: start?.title ?? named,
      isEmpty: start?.isEmpty ?? false,
      ...(header && { root: header.root, model: header.model }),
      ...(header?.provider !== undefined && { provider: header.provider }),
      created: header ? new Date(header.created) : birthtime,
      updated: mtime,
      turns: last?.total.turns ?? 0,
      costUsd: last ? last.total.costUsd : 0,
      bytes: size,
      ...(header?.fork && { fork: header.fork.id }),
    };
  } finally {
    closeSync(descriptor);
  }
}

function headerOf(descriptor: number, size: number): SessionHeader | undefined {
  for (let bytes = FIRST_BYTES; ; bytes *= 4) {
    const text = textAt(descriptor, 0, Math.min(bytes, size));
    const end = text.indexOf('\n');
    if (end >= 0) {
      const line = lineOrNothing(text.slice(0, end));
      return line?.type === 'session' ? line : undefined;
    }
    if (bytes >= size || bytes > MAX_HEADER_BYTES) return undefined;
  }
}

/** How a session began whose first line was written before its first prompt, and which has no complete turn. */
function begunWith(descriptor: number, size: number): { isEmpty: boolean; title?: string } {
  if (size > MAX_HEADER_BYTES) return { isEmpty: false };
  const lines = textAt(descriptor, 0, size).split('\n');
  const [first] = lines.map(lineOrNothing).filter((line) => line?.type === 'user' || line?.type === 'title');
  if (first?.type === 'title') return { isEmpty: false, title: first.title };
  return first?.type === 'user'
    ? { isEmpty: false, title: titleOf(first.content.filter(hasContent)) }
    : { isEmpty: true };
}

const hasContent = (block: RecordedUserBlock): block is UserBlock =>
  block.type !== 'tool_result' || block.content !== undefined;

/** Reads from the end, further back each time until it is found. */
function lastTotals(descriptor: number, size: number) {
  for (let bytes = TAIL_BYTES; ; bytes *= 8) {
    const from = Math.max(0, size - bytes);
    const lines = textAt(descriptor, from, size - from).split('\n');
    let newTitle: string | undefined; // given since then
    for (const text of lines.slice(from === 0 ? 0 : 1).reverse()) {
      if (!text.includes('"total"') && !text.includes('"title"')) continue;
      const line = lineOrNothing(text);
      if (line?.type === 'title') newTitle ??= line.title;
      if (line?.type === 'turn' || line?.type === 'run') return { total: line.total, title: newTitle ?? line.title };
    }
    if (from === 0) return undefined;
  }
}

function textAt(descriptor: number, from: number, length: number): string {
  const buffer = Buffer.allocUnsafe(length);
  const count = readSync(descriptor, buffer, 0, length, from);
  return buffer.toString('utf8', 0, count);
}

function lineOrNothing(text: string): SessionLine | undefined {
  try {
    return checkedLine(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Resolves an id, the beginning of one, or `last`, the latest session of the project. */
export async function findSession(
  dataFolder: string,
  wanted: string,
  { root }: { root?: string } = {},
): Promise<string> {
  if (wanted === 'last') return await latest(dataFolder, root);
  const ids = sessionIds(dataFolder);
  if (ids.includes(wanted)) return wanted;
  const meant = wanted === '' ? [] : ids.filter((id) => id.toLowerCase().startsWith(wanted.toLowerCase()));
  const [only] = meant;
  if (only !== undefined && meant.length === 1) return only;
  if (meant.length > 1) throw ambiguous(wanted, meant);
  throw unknown(wanted, ids);
}

async function latest(dataFolder: string, root: string | undefined): Promise<string> {
  const [newest] = await listSessions(dataFolder, root === undefined ? {} : { root });
  if (newest) return newest.id;
  const where = root === undefined ? '' : ` in ${root}`;
  throw new SessionProblem('unknown', `There is no session${where} yet.`, {
    advice: 'helve sessions list --all shows those of other folders.',
  });
}

function ambiguous(wanted: string, meant: readonly string[]): SessionProblem {
  const shown = meant.slice(0, 5).join(', ') + (meant.length > 5 ? `, and ${meant.length - 5} more` : '');
  return new SessionProblem(
    'ambiguous',
    `"${wanted}" is the beginning of ${meant.length} ids: ${shown}. Give more of the one you mean.`,
  );
}

function unknown(wanted: string, ids: readonly string[]): SessionProblem {
  // Compares a mistyped beginning with as many letters of each id.
  const byBeginning = new Map(ids.map((id) => [id.slice(0, Math.max(wanted.length, 1)), id]));
  const [nearest] = nearestWords(wanted, [...byBeginning.keys()]);
  const meant = nearest === undefined ? '' : ` Did you mean ${byBeginning.get(nearest)}?`;
  return new SessionProblem('unknown', `There is no session "${wanted.slice(0, 80)}".${meant}`, {
    advice: 'helve sessions list --all shows those there are.',
  });
}
