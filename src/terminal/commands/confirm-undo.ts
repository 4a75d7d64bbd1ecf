// Shows what an undo would do, and does it if the user confirms.

import { applyUndo } from '../../agent/undo/apply-undo.js';
import {
  countedEntries,
  NEVER_COVERED,
  NOTHING_TO_DO,
  restoredWords,
  runningLines,
  unclaimedLines,
  undoItemParts,
} from '../../agent/undo/describe-undo.js';
import type { UndoPlan } from '../../agent/undo/undo.js';
import { shortPath } from '../../platform/files/paths.js';
import { clause } from '../../platform/text/clause.js';
import type { Choice, CommandAnswer } from '../contract.js';
import { text } from './answers.js';

export interface ConfirmUndoOptions {
  cwd: string;
  /** The question. Default: how many changes there are. */
  title?: string;
  /** Beside "Yes". */
  about?: string;
  /** Other things to undo instead, between yes and no. */
  others?: ReadonlyArray<Choice & { choose(): Promise<CommandAnswer> }>;
  /** Runs after it. */
  then?: (done: string) => Promise<CommandAnswer>;
}

/** No is selected at first if the undo would replace what was changed since. */
export function confirmUndo(
  plan: UndoPlan,
  { cwd, title, about, others = [], then = async (done) => text(done) }: ConfirmUndoOptions,
): CommandAnswer {
  const { sessionId, items, notCovered, notes, unclaimed, hasCommands } = plan;
  const isBlocked = notCovered.length > 0 || items.some(({ conflict, impossible }) => conflict ?? impossible);
  const lines = [
    ...(items.length === 0 && unclaimed.length === 0 ? [NOTHING_TO_DO] : []),
    ...notCovered.map((why) => `! ${why}`),
    ...notes,
    ...unclaimedLines(unclaimed, cwd, `helve undo --session ${sessionId} --force`),
    ...runningLines(plan),
  ];
  return {
    type: 'choose',
    title: title ?? (items.length === 1 ? 'Undo this change?' : `Undo the changes of ${countedEntries(items)}?`),
    text: lines.join('\n'),
    changes: items.map((item) => undoItemParts(item, cwd)),
    ...(hasCommands && { note: NEVER_COVERED }),
    items: [
      isBlocked
        ? { value: 'force', key: 'y', label: 'Yes, as far as possible', description: 'replaces what was changed since' }
        : { value: 'yes', key: 'y', label: 'Yes', ...(about !== undefined && { description: about }) },
      ...others.map(({ choose: _, ...choice }) => choice),
      { value: 'no', key: 'n', label: 'No', description: 'leave the files as they are' },
    ],
    focus: isBlocked ? others.length + 1 : 0,
    async choose(value) {
      const other = others.find((choice) => choice.value === value);
      if (other) return await other.choose();
      if (value === 'no') return await then('The files stay as they are.');
      const { done, left } = await applyUndo(plan, { force: value === 'force' });
      const kept = left.map(({ real, why }) => `Left: ${shortPath(cwd, real)}, because ${clause(why)}.`);
      return await then([...kept, `${restoredWords(plan, done)} To reverse this, use /undo again.`].join('\n'));
    },
  };
}
