import { createShownPages } from '../../tools/reading/shown-pages.js';
import type { Session } from '../session.js';
import type { ForgottenFile, StillSeen } from './shown-files.js';

/**
 * To be called when the result of a call is settled: the lines of files that it showed count as seen. If the model gets
 * another text instead, only the lines in that text count.
 */
export async function settleShown(session: Session, callId: string, instead?: string): Promise<void> {
  const files = session.shownFiles.takePending(callId);
  if (files.length === 0) return;
  if (instead === undefined) {
    for (const file of files) session.shownFiles.keep(file);
    return;
  }
  session.own(createShownPages).forget();
  const { stillSeen } = await import('./forget-shown.js');
  for (const file of files) {
    const lines = linesIn(file, instead, stillSeen);
    if (lines !== undefined) session.shownFiles.keep({ ...file, seen: { ...file.seen, lines } });
  }
}

function linesIn(file: ForgottenFile, text: string, stillSeen: StillSeen): ReturnType<StillSeen> {
  try {
    return stillSeen(file, { texts: [text], isWhole: false });
  } catch {
    return undefined; // it can no longer be read as text
  }
}
