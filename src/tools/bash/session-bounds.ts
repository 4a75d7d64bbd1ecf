// Limits for all commands of a session together, in addition to the limits of each.
import { ToolFailure } from '../../contract/failure.js';
import type { SessionPort } from '../../contract/tool-context.js';
import { parseSize } from '../../platform/shell/limits.js';
import type { SharedQuota } from '../../platform/shell/output-pipe.js';
import { sessionBackground } from './session-shells.js';
import { shortTitle } from './title.js';

const MAX_SESSION_OUTPUT_BYTES = 1024 * 1024 * 1024; // four commands at their own limit
const MAX_BACKGROUND = 32; // far more than a user can keep track of

/** The disk space for output files. */
export function sessionOutput(session: SessionPort): SharedQuota {
  const bytes = (): number =>
    parseSize(session.env['HELVE_MAX_SESSION_OUTPUT'] ?? '') ??
    session.commandBounds?.outputBytes ??
    MAX_SESSION_OUTPUT_BYTES;
  let used = 0;
  return {
    get bytes() {
      return bytes();
    },
    left: () => Math.max(0, bytes() - used),
    take(count) {
      used += count;
    },
    giveBack(count) {
      used -= count;
    },
  };
}

/** Refuses a background command beyond the limit. */
export function assertBackgroundAllowed(session: SessionPort): void {
  const asked = Number(session.env['HELVE_MAX_BACKGROUND']);
  const max = Number.isInteger(asked) && asked > 0 ? asked : (session.commandBounds?.background ?? MAX_BACKGROUND);
  const running = session.own(sessionBackground).all.filter(({ state }) => state.status === 'running');
  if (running.length < max) return;
  const shown = running.slice(0, 5).map(({ id, command }) => `${id} (${shortTitle(command)})`);
  throw new ToolFailure(
    `The command was not run: ${running.length === 1 ? '1 command runs' : `${running.length} commands run`} in the background already, which is the limit of a session (the setting bash.maxBackground, or HELVE_MAX_BACKGROUND).`,
    { advice: `Stop one with KillShell, or wait until one ends. The first are ${shown.join(', ')}.` },
  );
}
