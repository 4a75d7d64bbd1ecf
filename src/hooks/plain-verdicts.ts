// Answers that are written for another system: a plain no in them counts, whatever field it is in.

/** What belongs into an answer, here or in systems whose hooks work here unchanged. */
const knownFields: ReadonlySet<string> = new Set([
  ...['continue', 'stopReason', 'suppressOutput', 'systemMessage', 'decision', 'reason', 'hookSpecificOutput'],
  ...['permissionDecision', 'permissionDecisionReason', 'additionalContext', 'updatedInput', 'updatedPermissions'],
  ...['updatedToolOutput', 'updatedMCPToolOutput', 'hookEventName', 'async', 'asyncTimeout', 'message', 'interrupt'],
  ...['terminalSequence', 'sessionTitle', 'suppressOriginalPrompt', 'initialUserMessage', 'watchPaths'],
  ...['reloadSkills', 'classifierContext'],
]);

const REFUSES = /^(den(y|ied)|block(ed)?|reject(ed)?|refused?|forbid(den)?|disallow(ed)?|veto)$/i;
const ALLOWS = /^(allow(ed)?|approved?|accept(ed)?|permit(ted)?)$/i;
const YES_FIELD = /^(allow(ed)?|approved?|accept(ed)?|permit(ted)?|ok|pass(ed)?|proceed|isAllowed|safe)$/i;
const NO_FIELD = /^(den(y|ied)|block(ed)?|reject(ed)?|refused?|forbid(den)?|disallow(ed)?|veto)$/i;

export interface Verdict {
  field: string;
  value: unknown;
  refuses: boolean;
}

/** Whether a value by itself says no: `"deny"`, `false`. */
export const isPlainRefusal = (value: unknown): boolean =>
  value === false || (typeof value === 'string' && REFUSES.test(value.trim()));

/** Fields with no meaning here that say yes or no all the same. */
export function strayVerdicts(answer: object): Verdict[] {
  return strayFields(answer).flatMap(([field, value]): Verdict[] => {
    if (typeof value === 'string' && REFUSES.test(value.trim())) return [{ field, value, refuses: true }];
    if (typeof value === 'string' && ALLOWS.test(value.trim())) return [{ field, value, refuses: false }];
    if (typeof value !== 'boolean') return [];
    if (YES_FIELD.test(field)) return [{ field, value, refuses: !value }];
    return NO_FIELD.test(field) ? [{ field, value, refuses: value }] : [];
  });
}

/** Whether an answer has fields, and none of them has a meaning here. */
export const isStray = (answer: object): boolean => {
  const fields = Object.keys(answer);
  return fields.length > 0 && strayFields(answer).length === fields.length;
};

const strayFields = (answer: object): Array<[string, unknown]> =>
  Object.entries(answer).filter(([field]) => !knownFields.has(field));
