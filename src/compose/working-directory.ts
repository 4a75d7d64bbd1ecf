import type { Session } from '../agent/session.js';
import type { SessionComponent } from '../agent/session-component.js';
import type { HookNotifications } from './hook-notifications.js';

/** Notifies hooks when a call has changed the working directory. */
export interface WorkingDirectory extends SessionComponent {
  /** The first call is about to start: a session that is resumed has its own working directory by now. */
  begin(): void;
}

export function workingDirectory(session: Session, notifications: HookNotifications): WorkingDirectory {
  let known: string | undefined;
  return {
    name: 'working directory',
    begin() {
      known ??= session.cwd;
    },
    onEvent({ type }) {
      if (type !== 'tool_result') return;
      const before = known;
      known = session.cwd;
      if (before === undefined || before === known) return;
      notifications.note('CwdChanged', { old_cwd: before, new_cwd: known });
    },
  };
}
