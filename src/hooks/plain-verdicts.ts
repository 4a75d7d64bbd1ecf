// Answers in the format of another system, or slightly wrong ones: a clear refusal in them counts, in any field and at
// any depth.
import { letters, pathOf, placesIn } from './walk-answer.js';

/** Fields of an answer, here or in systems whose hooks work here unchanged. */
export const knownFields: ReadonlySet<string> = new Set([
  ...['continue', 'stopReason', 'suppressOutput', 'systemMessage', 'decision', 'reason', 'hookSpecificOutput'],
  ...['permissionDecision', 'permissionDecisionReason', 'additionalContext', 'updatedInput', 'updatedPermissions'],
  ...['updatedToolOutput', 'updatedMCPToolOutput', 'hookEventName', 'async', 'asyncTimeout', 'message', 'interrupt'],
  ...['terminalSequence', 'sessionTitle', 'suppressOriginalPrompt', 'initialUserMessage', 'watchPaths'],
  ...['reloadSkills', 'classifierContext', 'worktreePath'],
]);

/** Fields with data or text for people: a refusal in them is not the hook's. Spelled as by `letters`. */
export const dataFields: ReadonlySet<string> = new Set([
  ...['updatedinput', 'updatedpermissions', 'updatedtooloutput', 'updatedmcptooloutput', 'additionalcontext'],
  ...['reason', 'permissiondecisionreason', 'stopreason', 'message', 'systemmessage', 'hookeventname', 'description'],
  ...['terminalsequence', 'sessiontitle', 'initialusermessage', 'watchpaths', 'classifiercontext'],
  ...[
    'toolinput',
    'toolresponse',
    'input',
    'prompt',
    'error',
    'permissionmode',
    'suggestions',
    'permissionsuggestions',
  ],
]);

const NO_WORD = 'den(?:y|ied)|block(?:ed)?|reject(?:ed)?|refused?|forbid(?:den)?|disallow(?:ed)?|veto';
const REFUSES = new RegExp(`^(?:${NO_WORD})$`, 'i');
const REFUSES_FIRST = new RegExp(`^["']?(?:${NO_WORD}|no)["']?\\s*(?:[.:,;!–—-].*)?$`, 'is');
const ALLOWS = /^(allow(ed)?|approved?|accept(ed)?|permit(ted)?)$/i;
const YES_FIELD = /^(allow(ed)?|approved?|accept(ed)?|permit(ted)?|ok|pass(ed)?|proceed|isallowed|safe|continue)$/;
const NO_FIELD = new RegExp(`^(?:${NO_WORD})$`);
const DECISION_FIELD = /^(decision|permissiondecision|behaviou?r)$/;
/**
 * As in JSON, YAML, Python (`'a': 'b'`), Ruby (`:a => "b"`) or XML (`<a>b`). A name starts where a word does and has a
 * limit, so that a long text without spaces takes linear time.
 */
const FIELD_AND_VALUE = /(["'`]?)(?<![\w-])([\w-]{1,64})\1\s*(?:[:=]>?|->|>)\s*(?=:?(["'`]?)([\w-]{1,64})\3)/g;
const MAX_FOUND = 20;

interface StrayVerdict {
  /** Its path, such as `output.decision`. */
  field: string;
  value: unknown;
  refuses: boolean;
}

/** Whether a value by itself says no: `"deny"`, `false`. */
export const isPlainRefusal = (value: unknown): boolean =>
  value === false || (typeof value === 'string' && (REFUSES.test(value.trim()) || /^no$/i.test(value.trim())));

/** Whether a text that is not an answer says no: by its first word, or by a field that can't be read as JSON. */
export const textRefuses = (text: string): boolean => REFUSES_FIRST.test(plainText(text).trim()) || holdsRefusal(text);

/** A text with plain quotes and without escapes, so that fields are found in the output of any program. */
export function plainText(text: string): string {
  return text
    .replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code?: string, sign?: string) => {
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return sign === '"' || sign === "'" ? sign : sign === '\\' ? '' : ' ';
    })
    .replace(/[“”„‟«»＂]|&quot;/g, '"')
    .replace(/[‘’‚‛′]|&#39;/g, "'");
}

/** Whether a text has a field that refuses, in any context and with any quotes: `{'decision': 'block'}`. */
export function holdsRefusal(text: string, { quoted = false }: { quoted?: boolean } = {}): boolean {
  const pairs = plainText(text).matchAll(FIELD_AND_VALUE);
  return [...pairs].some(([, quote, field = '', , value = '']) => {
    if (DECISION_FIELD.test(letters(field))) return (quote !== '' || !quoted) && (isNo(value) || /^ask$/i.test(value));
    if (quoted || (quote === '' && letters(field) !== 'continue')) return false;
    return refusesIn(letters(field), value);
  });
}

const isNo = (value: unknown): boolean => isPlainRefusal(value) || /^(false|no|off|0)$/i.test(String(value).trim());
const isYes = (value: unknown): boolean => /^(true|yes|on|1)$/i.test(String(value).trim());

/** Whether a field with this value means no, by the meaning of the field. */
const refusesIn = (spelled: string, value: unknown): boolean =>
  (YES_FIELD.test(spelled) && isNo(value)) ||
  (NO_FIELD.test(spelled) && isYes(value)) ||
  (DECISION_FIELD.test(spelled) && isNo(value));

/** Fields that say yes or no, at any depth, apart from those at the paths in `handled`. The first of many. */
export function strayVerdicts(answer: unknown, handled: ReadonlySet<string> = new Set()): StrayVerdict[] {
  const found: StrayVerdict[] = [];
  if (typeof answer !== 'object' || answer === null) return found;
  for (const place of placesIn(answer, ({ spelled }) => !dataFields.has(spelled))) {
    if (typeof place.value === 'object' && place.value !== null) continue;
    if (place.depth < 5 && handled.has(pathOf(place))) continue;
    const refuses = verdictOf(place.spelled, place.value);
    if (refuses === undefined || found.filter((one) => one.refuses === refuses).length >= MAX_FOUND) continue;
    found.push({ field: pathOf(place), value: place.value, refuses });
  }
  return found;
}

/** Whether a field with this value refuses (true) or allows (false). */
function verdictOf(spelled: string, value: unknown): boolean | undefined {
  const text = typeof value === 'string' ? value : undefined;
  if (text !== undefined && (REFUSES.test(text.trim()) || holdsRefusal(text))) return true;
  if (refusesIn(spelled, value)) return true;
  if ((text !== undefined && ALLOWS.test(text.trim())) || (value === true && YES_FIELD.test(spelled))) {
    return spelled === 'continue' ? undefined : false;
  }
  return value === false && NO_FIELD.test(spelled) ? false : undefined;
}

/** Whether an answer has fields, but none that is known here. */
export const isStray = (answer: object): boolean => {
  const fields = Object.keys(answer);
  return fields.length > 0 && fields.every((field) => !knownFields.has(field));
};
