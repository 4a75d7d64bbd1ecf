// When each call of a session was queued, what it waited for, and when it ran: of calls that have ended from the audit
// log, of those that run from the feed.
import { auditFrom } from '../agent/observe/audit-page.js';
import { sessionFolder } from '../agent/store/session-folder.js';
import { type CallWait, waitReasons } from '../contract/call-timing.js';
import { isObject } from '../platform/is-object.js';
import type { FeedCall, SessionFeed } from './session-feed.js';

const MAX_AHEAD = 2_000; // entries that are read for the ends of the calls of a page
const MAX_TITLE_CHARS = 120;

export interface TimelineCall {
  callId: string;
  tool: string;
  /** What people read in place of the tool's name, as in the conversation. */
  action?: string;
  title: string;
  /** The type of the child agent that made it, and the call that started that agent. */
  agent?: string;
  parentCallId?: string;
  queuedAt: number;
  waits: readonly CallWait[];
  startedAt: number | null;
  endedAt: number | null;
  /** `unknown`: the process was killed before it was recorded. */
  outcome: 'running' | 'completed' | 'failed' | 'denied' | 'unknown';
}

export interface TimelinePage {
  calls: TimelineCall[];
  /** Where the next page begins; absent at the end. */
  next?: string;
}

export interface TimelineOptions {
  from: number;
  limit: number;
  /** Of the session, if it is open. */
  feed: SessionFeed | undefined;
}

export function timelinePage(dataFolder: string, id: string, { from, limit, feed }: TimelineOptions): TimelinePage {
  const calls = new Map<string, TimelineCall>();
  let next: string | undefined;
  let ahead = 0;
  for (const { entry, start } of auditFrom(sessionFolder(dataFolder, id).path, from)) {
    const { type, call, tool, at } = entry;
    const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
    if (typeof call !== 'string' || Number.isNaN(time)) continue;
    if (type === 'call' && next === undefined) {
      if (calls.size === limit) next = String(start);
      else calls.set(call, begun(call, String(tool), entry, time));
    }
    if (next !== undefined) ahead += 1;
    const known = calls.get(call);
    if (known && type === 'start') known.startedAt = time;
    if (known && type === 'result') Object.assign(known, endOf(entry, time));
    const isComplete = next !== undefined && [...calls.values()].every(({ endedAt }) => endedAt !== null);
    if (isComplete || ahead > MAX_AHEAD) break;
  }
  for (const live of feed?.entries ?? []) {
    if (live.kind !== 'call') continue;
    const known = calls.get(live.id);
    if (live.queuedAt === undefined) {
      if (known) Object.assign(known, actionOf(live)); // from the record of the session, which has no times
      continue;
    }
    // Later pages have it, or will have it when its end is recorded.
    if (known || (next === undefined && live.endedAt === undefined)) calls.set(live.id, fromFeed(live, live.queuedAt));
  }
  return { calls: [...calls.values()], ...(next !== undefined && { next }) };
}

function begun(
  callId: string,
  tool: string,
  { input, agent, parent }: Readonly<Record<string, unknown>>,
  queuedAt: number,
): TimelineCall {
  return {
    callId,
    tool,
    title: titleOf(input),
    ...(typeof agent === 'string' && typeof parent === 'string' && { agent, parentCallId: parent }),
    queuedAt,
    waits: [],
    startedAt: null,
    endedAt: null,
    outcome: 'unknown',
  };
}

function endOf({ ok, failure, waits }: Readonly<Record<string, unknown>>, endedAt: number): Partial<TimelineCall> {
  const outcome = failure === 'permission_denied' ? 'denied' : ok === true ? 'completed' : 'failed';
  return { endedAt, outcome, ...(Array.isArray(waits) && { waits: waits.filter(isWait) }) };
}

function isWait(value: unknown): value is CallWait {
  if (!isObject(value)) return false;
  const { reason, from, to } = value;
  return (
    waitReasons.some((known) => known === reason) && typeof from === 'number' && (to === null || typeof to === 'number')
  );
}

const actionOf = ({ display }: FeedCall): Pick<TimelineCall, 'action'> =>
  display.action === undefined ? {} : { action: display.action };

function fromFeed(call: FeedCall, queuedAt: number): TimelineCall {
  const { id, tool, display, agent, waits = [], startedAt, endedAt, status, failure } = call;
  const ended = status === 'completed' ? 'completed' : failure === 'permission_denied' ? 'denied' : 'failed';
  return {
    callId: id,
    tool,
    ...actionOf(call),
    title: display.title.slice(0, MAX_TITLE_CHARS),
    ...(agent && { agent: agent.type, parentCallId: agent.parentCallId }),
    queuedAt: Math.round(queuedAt),
    waits,
    startedAt: startedAt === undefined ? null : Math.round(startedAt),
    endedAt: endedAt === undefined ? null : Math.round(endedAt),
    outcome: endedAt === undefined ? 'running' : ended,
  };
}

/** The first text of the input: the file, the command, the pattern. */
function titleOf(input: unknown): string {
  const texts = isObject(input) ? Object.values(input) : [];
  const [first = ''] = texts.flatMap((value) => {
    if (typeof value === 'string') return value;
    return isObject(value) && typeof value['start'] === 'string' ? value['start'] : []; // shortened in the log
  });
  return first.split('\n', 1)[0]?.slice(0, MAX_TITLE_CHARS) ?? '';
}
