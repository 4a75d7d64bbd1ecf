// The effect of a hook's objection, by event.
import type { HookEvent } from '../contract/hook.js';
import type { HookReply } from './merge-answers.js';

/** The effect of an objection at each event. */
export const objections: Readonly<Record<HookEvent, 'denies' | 'blocks' | 'tells' | 'nothing'>> = {
  PreToolUse: 'denies',
  PermissionRequest: 'denies',
  UserPromptSubmit: 'blocks',
  UserPromptExpansion: 'blocks',
  PostToolBatch: 'blocks',
  PreCompact: 'blocks',
  PostToolUse: 'tells',
  PostToolUseFailure: 'tells',
  Stop: 'tells',
  SubagentStop: 'tells',
  PermissionDenied: 'nothing',
  StopFailure: 'nothing',
  PostCompact: 'nothing',
  Setup: 'nothing',
  SessionStart: 'nothing',
  SessionEnd: 'nothing',
  Notification: 'nothing',
  SubagentStart: 'nothing',
  CwdChanged: 'nothing',
  DirectoryAdded: 'nothing',
  InstructionsLoaded: 'nothing',
  WorktreeCreate: 'blocks',
  WorktreeRemove: 'nothing',
};

/** Events at which plain text is added for the model. */
export const takesText = (event: HookEvent): boolean => event === 'UserPromptSubmit' || event === 'SessionStart';

/** Events at which an answer that can't be understood counts as a refusal, to be safe. */
export const canRefuse = (event: HookEvent): boolean =>
  objections[event] === 'denies' || objections[event] === 'blocks';

/** The meaning of a failure if the failures of the hook block. A failure never blocks the end of a run: it could block forever. */
export function refusalByFailure(event: HookEvent, failure: string): Pick<HookReply, 'behavior' | 'reason' | 'block'> {
  if (event === 'Stop' || event === 'SubagentStop') return {};
  return objection(event, `the hook failed (${failure}), and its failures block`);
}

export function objection(event: HookEvent, reason: string): Pick<HookReply, 'behavior' | 'reason' | 'block'> {
  switch (objections[event]) {
    case 'denies':
      return { behavior: 'deny', reason };
    case 'blocks':
    case 'tells':
      return { block: { reason } };
    case 'nothing':
      return {};
  }
}
