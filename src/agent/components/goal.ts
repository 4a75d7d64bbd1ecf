import { ModelFailure } from '../../contract/model.js';
import { messageOf } from '../../platform/message-of.js';
import { reminder } from '../../platform/text/reminder.js';
import type { GoalKeeper } from '../goals/goal-keeper.js';
import type { GoalState } from '../goals/goal-state.js';
import type { SessionComponent } from '../session-component.js';

/** The requests of a prompt that works on a goal, where no budget limits them. */
const GOAL_TURNS = 200;

interface GoalComponentOptions {
  /** Loaded with the first goal. */
  keeper(): Promise<GoalKeeper>;
  /** Limits the requests of a prompt, if nothing else does; undefined for not any more. */
  bound(turns: number | undefined): Promise<void>;
  remind(text: string): void;
}

/** Checks the goal each time the model wants to end, and sends it on while the goal is not met. */
export function goalComponent(state: GoalState, options: GoalComponentOptions): SessionComponent {
  let isForgotten = false;
  const words = () => import('../goals/goal-words.js');
  return {
    name: 'goal',
    async beforePrompt(_prompt, run) {
      const goal = state.active;
      await options.bound(goal && GOAL_TURNS);
      if (!goal) return undefined;
      const { goalReminder, stillSetNotice } = await words();
      if (state.isNews) run.emit({ type: 'notice', text: stillSetNotice(goal) });
      state.isNews = false;
      const refused = await (await options.keeper()).start(run.signal);
      if (refused !== undefined) {
        state.set(undefined);
        return { refuse: refused };
      }
      return { add: [{ type: 'text', text: reminder(goalReminder(goal)) }] };
    },
    async beforeMessage() {
      if (!isForgotten) return;
      isForgotten = false;
      if (state.active) options.remind((await words()).goalReminder(state.active));
    },
    async beforeEnd(_lastText, run) {
      if (!state.active) return undefined;
      try {
        const after = await (await options.keeper()).check(run.signal);
        if (!after) return undefined;
        const { check } = after;
        run.emit({ type: 'goal', ...check });
        run.emit({ type: 'notice', text: (await words()).checkNotice(check) });
        if (after.next === 'end') return undefined;
        return after.next === 'go on' ? after.text : { end: 'goal_unmet', text: after.text };
      } catch (error) {
        if (run.signal.aborted) return undefined;
        if (error instanceof ModelFailure && error.kind === 'budget') return { end: 'budget', text: error.message };
        return { end: 'goal_unmet', text: `It could not be checked whether the goal is met: ${messageOf(error)}` };
      }
    },
    onEvent(event) {
      if (event.type === 'result' && event.outcome === 'interrupted') state.pause();
    },
    onCompacted() {
      isForgotten = true;
    },
  };
}
