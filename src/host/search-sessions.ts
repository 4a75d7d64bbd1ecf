// Searches what was said in all sessions, the latest first, for a limited time.
import { open } from 'node:fs/promises';
import { isPersonText } from '../agent/store/conversation-view.js';
import { redactSecrets } from '../agent/store/redact-secrets.js';
import { sessionFolder } from '../agent/store/session-folder.js';
import { checkedLine, type SessionLine } from '../agent/store/session-record.js';
import { monotonicMs } from '../platform/clock.js';
import { parseJson } from '../platform/parse-json.js';
import type { SessionRow } from './session-index.js';

const MAX_OF_ONE = 3; // hits in one session
const AROUND = 80; // characters on each side of a hit
const LIMIT_MS = 2_000;

export interface SearchHit {
  sessionId: string;
  title: string;
  /** ISO 8601. */
  at: string;
  snippet: string;
}

export interface SearchResult {
  hits: SearchHit[];
  /** The time was over before all sessions were searched. */
  isPartial: boolean;
}

export async function searchSessions(
  dataFolder: string,
  rows: readonly SessionRow[],
  { text, limit, signal }: { text: string; limit: number; signal: AbortSignal },
): Promise<SearchResult> {
  const wanted = text.toLowerCase();
  // As it is in the file, apart from its case, which is compared only if this may match.
  const raw = JSON.stringify(wanted).slice(1, -1);
  const hits: SearchHit[] = [];
  const until = monotonicMs() + LIMIT_MS;
  for (const row of rows) {
    if (hits.length >= limit) return { hits, isPartial: false };
    if (monotonicMs() > until || signal.aborted) return { hits, isPartial: true };
    let found = 0;
    for await (const line of linesOf(sessionFolder(dataFolder, row.sessionId).file)) {
      if (monotonicMs() > until) return { hits, isPartial: true };
      const parsed = line.toLowerCase().includes(raw) ? checkedLine(parseJson(line)) : undefined;
      const snippet = parsed && snippetOf(parsed, wanted);
      if (!parsed || snippet === undefined) continue;
      const at = 'at' in parsed ? new Date(parsed.at).toISOString() : row.changedAt;
      hits.push({ sessionId: row.sessionId, title: row.title, at, snippet });
      found += 1;
      if (found === MAX_OF_ONE || hits.length >= limit) break;
    }
  }
  return { hits, isPartial: false };
}

async function* linesOf(path: string): AsyncGenerator<string, void, void> {
  const file = await open(path).catch(() => undefined);
  if (!file) return; // it was deleted meanwhile
  try {
    yield* file.readLines();
  } finally {
    await file.close().catch(() => {});
  }
}

function snippetOf(line: SessionLine, wanted: string): string | undefined {
  if (line.type !== 'user' && line.type !== 'assistant') return undefined;
  for (const block of line.content) {
    if (block.type !== 'text' || !isPersonText(block.text)) continue;
    const at = block.text.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    const [from, to] = [Math.max(0, at - AROUND), at + wanted.length + AROUND];
    const cut = redactSecrets(block.text).slice(from, to).replace(/\s+/g, ' ');
    return `${from > 0 ? '…' : ''}${cut}${to < block.text.length ? '…' : ''}`;
  }
  return undefined;
}
