import type { Writable } from 'node:stream';
import { outlineSession } from '../agent/store/session-outline.js';
import { listUndoable } from '../agent/undo/undo-calls.js';
import { isInside, realPathSync } from '../platform/files/paths.js';
import { listChanges } from '../platform/journal/journal.js';
import { touchedBy } from '../platform/journal/recorded-change.js';
import { counted } from '../platform/text/counted.js';
import { jsonText } from '../platform/text/json-line.js';
import { localSecond } from '../platform/text/local-time.js';
import { visible } from '../platform/text/visible.js';
import { exitCode } from './exit-codes.js';
import { undoPlaces } from './undo-places.js';
import { writeLine } from './write-line.js';

/** Lists the sessions that changed files below the folder, including those of `helve call` and `helve mcp serve`. */
export async function listUndoSessions(
  usualFolder: string,
  { cwd, out }: { cwd: string; out: Writable },
  { json }: { json: boolean },
): Promise<number> {
  const here = realPathSync(cwd);
  const found = [];
  for (const { sessionId, changedAt, dataFolder } of await undoPlaces(usualFolder)) {
    const changes = await listChanges(dataFolder, sessionId);
    if (!changes.some((change) => touchedBy(change).some((real) => isInside(here, real)))) continue;
    const calls = await listUndoable(dataFolder, sessionId);
    const open = calls.filter(({ undoes, undoneBy }) => undoes === undefined && undoneBy === undefined);
    const outline = outlineSession(dataFolder, sessionId);
    const latest = outline.calls.get(calls.at(-1)?.callId ?? '');
    const about = outline.prompts.at(-1)?.text ?? (latest ? `${latest.tool} ${latest.title}` : '');
    found.push({ session: sessionId, changedAt: changedAt.toISOString(), calls: open.length, about });
  }
  if (json) {
    await writeLine(out, jsonText(found));
    return exitCode.ok;
  }
  const head = found.length === 0 ? 'No session has changed files' : 'Sessions that changed files';
  await writeLine(out, `${head} below ${visible(here)}${found.length === 0 ? '.' : ', latest first:'}`);
  for (const { session, changedAt, calls, about } of found) {
    const count = `${counted(calls, 'call')} to undo`;
    await writeLine(out, visible(`  ${session}  ${localSecond(changedAt)}  ${count}${about && `  ${about}`}`));
  }
  return exitCode.ok;
}
