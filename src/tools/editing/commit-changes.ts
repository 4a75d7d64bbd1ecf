// The last two phases of every file change: apply and verify. Callers provide functions that read the files and plan
// the change; here it is written, checked, and recorded in the ledger.

import { type Stats, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type FileChange, StaleFile } from '../../contract/file-change.js';
import type { ToolContext } from '../../contract/tool-context.js';
import { hashOf } from '../../platform/crypto.js';
import { refusal } from '../refusal.js';
import { assertApproved, type TargetFile } from '../target-file.js';
import type { ChangedText } from './match/edit-text.js';

const MAX_LOOKS = 20; // a file that differs on every attempt is being written by another program
const MAX_PAUSE_MS = 25;

/** The planned content of one file. */
export interface PlannedChange {
  target: TargetFile;
  /** Its content when the plan was made; undefined if there was no file. */
  before: { hash: string; names: number } | undefined;
  /** Its new content, and what the model knows of it; null to remove the file. */
  changed: Pick<ChangedText, 'bytes' | 'lines' | 'merged'> | null;
  /** The source of a move, whose owner and mode it keeps. */
  movedFrom?: TargetFile;
}

/**
 * Reads, plans and writes the changes, all or none. If a file differs from what the plan was made for, it starts again.
 * Returns the plan that was carried out, and the notes on each change.
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
    context.signal.throwIfAborted(); // not cancelled from here on, since half a change is worse than either
    try {
      const needed = changes.filter(isChange);
      if (needed.length > 0) await context.session.changes.apply(context.callId, needed.map(asFileChange));
    } catch (error) {
      if (!(error instanceof StaleFile)) throw error;
      if (looks < MAX_LOOKS) {
        // Random, so that two writers in lockstep don't keep colliding.
        await delay(Math.random() * Math.min(looks * 2, MAX_PAUSE_MS), undefined, { signal: context.signal });
        continue;
      }
      const stale = changes.find(({ target }) => target.real === error.real)?.target.shown ?? error.real;
      throw refusal(
        `${stale} changed again each time it was about to be written (${MAX_LOOKS} times). Nothing was written.`,
        {
          advice:
            'Something else is writing it now: wait for it to end or ask the user, then Read the file and send the call again.',
          cause: error,
        },
      );
    }
    return { plan, notes: changes.map((change) => noteWritten(change, context)) };
  }
}

/** A file that already has the content is not written. */
const isChange = ({ before, changed }: PlannedChange): boolean => !changed || before?.hash !== hashOf(changed.bytes);

const asFileChange = ({ target, before, changed, movedFrom }: PlannedChange): FileChange => ({
  real: target.real,
  before: before?.hash ?? null,
  after: changed?.bytes ?? null,
  ...(movedFrom && { like: movedFrom.real }),
});

/** Undefined if it was removed, which counts as changed. */
function statsOf(real: string): Stats | undefined {
  try {
    return statSync(real);
  } catch {
    return undefined;
  }
}

/** Verifies the files and records them in the ledger. For a removed file the ledger keeps what was seen. */
function noteWritten({ target, before, changed }: PlannedChange, { session: { ledger } }: ToolContext): string[] {
  if (!changed) return [];
  const { bytes, lines, merged } = changed;
  const seen = { hash: hashOf(bytes), size: bytes.length, at: new Date(), lines, bytes };
  ledger.set(target.real, merged ? { ...seen, merged } : seen);
  const stats = statsOf(target.real);
  if (stats?.size !== bytes.length) {
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
