import { ModelFailure } from '../../contract/model.js';
import { messageOf } from '../../platform/message-of.js';
import { reminder } from '../../platform/text/reminder.js';
import type { GoalKeeper } from '../goals/goal-keeper.js';
import { checkNotice, goalReminder, stillSetNotice } from '../goals/goal-words.js';
import type { SessionComponent } from '../session-component.js';

interface GoalComponentOptions {
  /** Limits the requests of a prompt that works on a goal, if nothing else does. */
  bound(isActive: boolean): void;
  remind(text: string): void;
  /** The goal is that of a resumed session. */
  isRestored: boolean;
}

/** Checks the goal each time the model wants to end, and sends it on while the goal is not met. */
export function goalComponent(goals: GoalKeeper, options: GoalComponentOptions): SessionComponent {
  let isNews = options.isRestored;
  return {
    name: 'goal',
    async beforePrompt(_prompt, run) {
      const goal = goals.active;
      options.bound(goal !== undefined);
      if (!goal) return undefined;
      if (isNews) run.emit({ type: 'notice', text: stillSetNotice(goal) });
      isNews = false;
      const refused = await goals.start(run.signal);
      if (refused !== undefined) {
        goals.set(undefined);
        return { refuse: refused };
      }
      return { add: [{ type: 'text', text: reminder(goalReminder(goal)) }] };
    },
    async beforeEnd(_lastText, run) {
      if (!goals.active) return undefined;
      try {
        const after = await goals.check(run.signal);
        if (!after) return undefined;
        const { check } = after;
        run.emit({ type: 'goal', ...check });
        run.emit({ type: 'notice', text: checkNotice(check) });
        if (after.next === 'end') return undefined;
        return after.next === 'go on' ? after.text : { end: 'goal_unmet', text: after.text };
      } catch (error) {
        if (run.signal.aborted) return undefined;
        if (error instanceof ModelFailure && error.kind === 'budget') return { end: 'budget', text: error.message };
        return { end: 'goal_unmet', text: `It could not be checked whether the goal is met: ${messageOf(error)}` };
      }
    },
    onEvent(event) {
      if (event.type === 'result' && event.outcome === 'interrupted') goals.pause();
    },
    onCompacted() {
      const goal = goals.active;
      if (goal) options.remind(goalReminder(goal));
    },
  };
}
