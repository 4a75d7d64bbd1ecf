// The last two phases of every change of a file: apply and verify. Whoever changes files comes with a way to look at them
// and to say what they shall become; here the change is made, checked, and noted in the ledger.
import { type Stats, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type FileChange, StaleFile } from '../../contract/file-change.js';
import type { SeenFile, ToolContext } from '../../contract/tool-context.js';
import { refusal } from '../refusal.js';
import { assertApproved, type TargetFile } from '../target-file.js';
import { hashOf } from './load-text.js';

const MAX_LOOKS = 20; // a file that is another one each time is being written by a program right now
const MAX_PAUSE_MS = 25;

/** What one file shall become. */
export interface PlannedChange {
  target: TargetFile;
  /** What it holds as far as the plan knows; undefined where there is no file. */
  before: { hash: string; names: number } | undefined;
  /** What it shall hold; null to remove it. */
  after: Buffer | null;
  /** What the model knows of it afterwards. */
  lines: SeenFile['lines'];
  /** Whether lines of another program are in it that the model has not read. */
  merged?: boolean | undefined;
  /** The file that it is moved from, whose owner and mode it takes. */
  movedFrom?: TargetFile;
}

/**
 * Looks, plans and makes the changes, all or none. Where a file turns out to be another one than the plan was made for,
 * it looks again. Gives the plan that was carried out, and what else is to be said about each of its changes.
 */
export async function changeFiles<Plan>(
  context: ToolContext,
  look: () => Promise<Plan>,
  changesOf: (plan: Plan) => readonly PlannedChange[],
): Promise<{ plan: Plan; notes: string[][] }> {
  for (let looks = 1; ; looks += 1) {
    const plan = await look();
    const changes = changesOf(plan);
    for (const { target } of changes) assertApproved(target, 'write', context);
    context.signal.throwIfAborted(); // from here on to the end, since half a change helps nobody
    try {
      const needed = changes.filter(isChange);
      if (needed.length > 0) await context.session.changes.apply(context.callId, needed.map(asFileChange));
    } catch (error) {
      if (!(error instanceof StaleFile)) throw error;
      if (looks < MAX_LOOKS) {
        // Of two that keep step, one would always come too late.
        await delay(Math.random() * Math.min(looks * 2, MAX_PAUSE_MS), undefined, { signal: context.signal });
        continue;
      }
      const stale = changes.find(({ target }) => target.real === error.real)?.target.shown ?? error.real;
      throw refusal(
        `${stale} changed again each time it was about to be written (${MAX_LOOKS} times). Nothing was written. Something else is writing it now: wait for it to end or ask the user, then Read the file and send the call again.`,
        error,
      );
    }
    return { plan, notes: changes.map((change) => noteWritten(change, context)) };
  }
}

/** A file that holds the text already is left alone. */
const isChange = ({ before, after }: PlannedChange): boolean => after === null || before?.hash !== hashOf(after);

const asFileChange = ({ target, before, after, movedFrom }: PlannedChange): FileChange => ({
  real: target.real,
  before: before?.hash ?? null,
  after,
  ...(movedFrom && { like: movedFrom.real }),
});

/** Undefined where it is gone again, which is as good as changed. */
function statsOf(real: string): Stats | undefined {
  try {
    return statSync(real);
  } catch {
    return undefined;
  }
}

/** Checks what is there now and takes it into the ledger. Of a file that is gone the ledger keeps what was seen. */
function noteWritten(
  { target, before, after, lines, merged }: PlannedChange,
  { session: { ledger } }: ToolContext,
): string[] {
  if (after === null) return [];
  const seen = { hash: hashOf(after), size: after.length, at: new Date(), lines, bytes: after };
  ledger.set(target.real, merged ? { ...seen, merged } : seen);
  const stats = statsOf(target.real);
  if (stats?.size !== after.length) {
    return [
      `Something else changed ${target.shown} right after it was written (for example a formatter). Read it again before you go on.`,
    ];
  }
  if (!before || before.names < 2) return [];
  return [
    stats.nlink === before.names
      ? `${target.shown} has ${before.names} names (hard links); all of them show the change.`
      : `${target.shown} had ${before.names} names (hard links); the others still show the old content.`,
  ];
}
