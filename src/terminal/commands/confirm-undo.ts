// Shows what an undo would do, and does it if the user confirms.

import { applyUndo } from '../../agent/undo/apply-undo.js';
import {
  describeUndoItem,
  NEVER_COVERED,
  NOTHING_TO_DO,
  runningLines,
  unclaimedLines,
} from '../../agent/undo/describe-undo.js';
import type { UndoPlan } from '../../agent/undo/undo.js';
import { shortPath } from '../../platform/files/paths.js';
import { clause } from '../../platform/text/clause.js';
import { counted } from '../../platform/text/counted.js';
import type { CommandAnswer } from '../contract.js';
import { text } from './answers.js';

const MAX_SHOWN_LINES = 24; // so that the question stays on the screen

/** `then` runs after it. */
export function confirmUndo(
  plan: UndoPlan,
  cwd: string,
  then: (done: string) => Promise<CommandAnswer> = async (done) => text(done),
): CommandAnswer {
  const { sessionId, items, notCovered, notes, unclaimed, running, hasCommands } = plan;
  const isBlocked = notCovered.length > 0 || items.some(({ conflict, impossible }) => conflict ?? impossible);
  const lines = [
    ...items.flatMap((item) => describeUndoItem(item, cwd).split('\n')),
    ...(items.length === 0 && unclaimed.length === 0 ? [NOTHING_TO_DO] : []),
    ...notCovered.map((why) => `! ${why}`),
    ...notes,
    ...unclaimedLines(unclaimed, cwd, `helve undo --session ${sessionId} --force`),
    ...runningLines(running),
    ...(hasCommands ? [NEVER_COVERED] : []),
  ];
  const more = lines.length - MAX_SHOWN_LINES;
  return {
    type: 'choose',
    title: items.length === 1 ? 'Take this back?' : `Take back ${items.length} changes?`,
    text: [...lines.slice(0, MAX_SHOWN_LINES), ...(more > 0 ? [`… ${more} more lines`] : [])].join('\n'),
    items: [
      isBlocked
        ? { value: 'force', label: 'Yes, as far as possible', description: 'replaces what was changed since' }
        : { value: 'yes', label: 'Yes' },
      { value: 'no', label: 'No, leave the files as they are' },
    ],
    async choose(value) {
      if (value === 'no') return await then('The files stay as they are.');
      const { done, left, undoId } = await applyUndo(plan, { force: value === 'force' });
      const kept = left.map(({ real, why }) => `Left: ${shortPath(cwd, real)}, because ${clause(why)}.`);
      const restored = `Restored ${counted(done.length, 'file')}. To reverse this: /undo ${undoId}`;
      return await then([...kept, restored].join('\n'));
    },
  };
}
