// When a call was queued, what it waited for, and when it ran: data for a timeline, on paper and on a screen.

export const waitReasons = ['earlier_call', 'question', 'hook', 'slot', 'machine'] as const;

/**
 * What a call waits for before its work begins. `earlier_call`: one that it conflicts with. `question`: the answer of a
 * person. `hook`: the answer of a hook. `slot`: as many calls run as may at once. `machine`: room for a command, beside
 * those of other sessions.
 */
export type WaitReason = (typeof waitReasons)[number];

/** One wait. Times are in milliseconds since the epoch. */
export interface CallWait {
  reason: WaitReason;
  /** For `earlier_call`: the id of that call. */
  detail?: string;
  from: number;
  /** Null while it lasts. */
  to: number | null;
}
