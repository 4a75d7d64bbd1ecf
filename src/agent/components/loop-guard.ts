import { LoopGuard } from '../loop-guard.js';
import type { Session } from '../session.js';
import type { SessionComponent } from '../session-component.js';

/** Reminds the model, and then notifies the person, when a run repeats the same calls. */
export function loopGuard(session: Session): SessionComponent {
  let guard = new LoopGuard();
  return {
    name: 'loop guard',
    async prepare() {
      guard = new LoopGuard();
    },
    async afterTurn({ message, results }, { emit }) {
      const { reminders, notices } = guard.take(message, results);
      for (const text of reminders) session.remind(text);
      for (const text of notices) emit({ type: 'notice', text });
      return undefined;
    },
  };
}
