/** What a conversation works towards: each time the model wants to end, it is checked, and sent on if it is not met. */
export interface Goal {
  /** What has to be true at the end, in words. */
  text: string;
  /** A command that exits with 0 once the goal is met. Without it, a model judges by the conversation. */
  until?: string;
}

/** A check of a goal. */
export interface GoalCheck {
  goal: Goal;
  /** How often the goal was checked, from 1. */
  round: number;
  isMet: boolean;
  /** What shows it: the end of the command's output, or a passage of the conversation and what is missing. */
  evidence: string;
  /** The files that were changed since the check before, at most some. */
  changed: readonly string[];
}
