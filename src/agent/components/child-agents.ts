import type { RootAgents } from '../children/lazy-agents.js';
import type { Session } from '../session.js';
import type { SessionComponent } from '../session-component.js';

/** The child agents of a session: their events are part of the run, and the run waits for them if necessary. */
export function childAgents(agents: RootAgents, session: Session, notify: (text: string) => void): SessionComponent {
  return {
    name: 'child agents',
    async prepare(_prompt, { emit }) {
      agents.listen(emit);
      for (const problem of await agents.announce(session)) notify(problem);
    },
    describe: () => ({ agents: agents.names }),
    beforeEnd: (_lastText, { signal }) => agents.beforeEnd(signal),
    onInterrupted: () => agents.stopped(),
    onCompacted: () => agents.announceAgain(),
    afterRun: () => agents.listen(undefined),
    end: () => agents.end(),
  };
}
