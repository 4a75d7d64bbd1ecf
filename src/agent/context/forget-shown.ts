import { createShownPages } from '../../tools/reading/shown-pages.js';
import type { Session } from '../session.js';
import type { SessionKeeper } from '../store/lazy-store.js';
import type { ForgottenFile } from './shown-files.js';

/** The text of these calls leaves the conversation: what they showed of files counts as not seen, here and on disk. */
export function forgetShown(
  callIds: readonly string[],
  { session, keeper }: { session: Session; keeper?: Pick<SessionKeeper, 'forgot'> | undefined },
): ForgottenFile[] {
  const files = session.shownFiles.forget(callIds);
  session.own(createShownPages).forget();
  if (files.length > 0) keeper?.forgot(files.map(({ real }) => real));
  return files;
}
