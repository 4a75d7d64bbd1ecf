import type { InterruptedCall, RecoveryReport } from './recover-changes.js';

/**
 * The report in words, for a person; undefined if there is nothing to report. `titleOf` names the command of a call.
 * `told`: calls of which the person is told already that they were interrupted.
 */
export function describeRecovery(
  report: RecoveryReport,
  titleOf: (call: InterruptedCall) => string | undefined = () => undefined,
  told: ReadonlySet<string> = new Set(),
): string | undefined {
  const { restored, finished, left, removed, listed, undos } = report;
  const news = listed.filter(({ callId }) => !told.has(callId));
  const known = listed.length > news.length && 'An undo also takes back what the interrupted command had changed.';
  const commands =
    news.length > 0 &&
    `Helve was stopped while it ran ${news.map((call) => titleOf(call) ?? call.callId).join(' and ')}. What was changed until now counts as the work of that command, and an undo can take it back.`;
  const sentences = [
    restored.length > 0 && `Put back as it was before: ${restored.join(', ')}.`,
    finished.length > 0 && `Found complete: ${finished.join(', ')}.`,
    removed.length > 0 && `Removed what was left of a write: ${removed.join(', ')}.`,
    ...left.map(
      ({ real, why, image }) =>
        `${real} was left alone, because ${why}${image ? `; what it held before is in ${image}` : ''}. Look at it before you go on.`,
    ),
  ].filter((sentence) => sentence !== false);
  const takenBack = undos.map(
    ({ undoId, done, left: stay }) =>
      `The undo ${undoId} was cut short when Helve last ran, and was taken back: ${done.length} files and folders are as they were before it${stay.map(({ real, why }) => `, but not ${real}, because ${why}`).join('')}. To undo the same calls, run helve undo again.`,
  );
  const changes = sentences.length > 0 && `A change of files was cut short when Helve last ran. ${sentences.join(' ')}`;
  return [changes, ...takenBack, commands, known].filter(Boolean).join(' ') || undefined;
}
