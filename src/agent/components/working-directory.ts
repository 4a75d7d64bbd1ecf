import type { Session } from '../session.js';
import type { SessionComponent } from '../session-component.js';

/** Reports when a call has changed the working directory. */
export interface WorkingDirectory extends SessionComponent {
  /** To be called before the first call, when a resumed session has restored its working directory. */
  begin(): void;
}

export function workingDirectory(session: Session, onChange: (before: string, now: string) => void): WorkingDirectory {
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
      if (before !== undefined && before !== known) onChange(before, known);
    },
  };
}
