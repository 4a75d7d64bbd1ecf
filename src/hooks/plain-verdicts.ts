// Answers in the format of another system, or slightly wrong ones: a clear refusal in them counts, in any field and at
// any depth.
import { wordSimilarity } from '../platform/text/similar-text.js';

/** Fields of an answer, here or in systems whose hooks work here unchanged. */
const knownFields: ReadonlySet<string> = new Set([
  ...['continue', 'stopReason', 'suppressOutput', 'systemMessage', 'decision', 'reason', 'hookSpecificOutput'],
  ...['permissionDecision', 'permissionDecisionReason', 'additionalContext', 'updatedInput', 'updatedPermissions'],
  ...['updatedToolOutput', 'updatedMCPToolOutput', 'hookEventName', 'async', 'asyncTimeout', 'message', 'interrupt'],
  ...['terminalSequence', 'sessionTitle', 'suppressOriginalPrompt', 'initialUserMessage', 'watchPaths'],
  ...['reloadSkills', 'classifierContext'],
]);

/** Fields that hold data or words for people: a no in them is not the hook's. Spelled as `letters` does. */
const dataFields: ReadonlySet<string> = new Set([
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
/** A name starts where a word does and has a limit, so that a long text without spaces takes linear time. */
const FIELD_AND_VALUE = /(["'`]?)(?<![\w-])([\w-]{1,64})\1\s*[:=]\s*(?=(["'`]?)([\w-]{1,64})\3)/g;
const MAX_DEPTH = 10;

interface StrayVerdict {
  /** Its path, as `output.decision`. */
  field: string;
  value: unknown;
  refuses: boolean;
}

/** The letters that all spellings of a field share: `permission_decision` and `PermissionDecision` have the same. */
const letters = (field: string): string => field.replace(/[^A-Za-z]/g, '').toLowerCase();

/** Whether a value by itself says no: `"deny"`, `false`. */
export const isPlainRefusal = (value: unknown): boolean =>
  value === false || (typeof value === 'string' && (REFUSES.test(value.trim()) || /^no$/i.test(value.trim())));

/** Whether a text that is no answer says no: by its first word, or by a field in it that can't be read as JSON. */
export const textRefuses = (text: string): boolean => REFUSES_FIRST.test(text.trim()) || holdsRefusal(text);

/** Whether a text has a field that refuses, whatever is around it and in whatever quotes: `{'decision': 'block'}`. */
export function holdsRefusal(text: string, { quoted = false }: { quoted?: boolean } = {}): boolean {
  const pairs = text.replaceAll('\\', '').matchAll(FIELD_AND_VALUE);
  return [...pairs].some(([, quote, field = '', , value = '']) => {
    if (DECISION_FIELD.test(letters(field))) return (quote !== '' || !quoted) && (isNo(value) || /^ask$/i.test(value));
    if (quoted || (quote === '' && letters(field) !== 'continue')) return false;
    return refusesIn(letters(field), value);
  });
}

const isNo = (value: unknown): boolean => isPlainRefusal(value) || /^(false|no|off|0)$/i.test(String(value).trim());
const isYes = (value: unknown): boolean => /^(true|yes|on|1)$/i.test(String(value).trim());

/** Whether a field with this value means no, by what the field is about. */
const refusesIn = (spelled: string, value: unknown): boolean =>
  (YES_FIELD.test(spelled) && isNo(value)) ||
  (NO_FIELD.test(spelled) && isYes(value)) ||
  (DECISION_FIELD.test(spelled) && isNo(value));

/** Fields that say yes or no, at any depth, apart from those at the paths in `handled`. */
export function strayVerdicts(answer: unknown, handled: ReadonlySet<string> = new Set()): StrayVerdict[] {
  const found: StrayVerdict[] = [];
  const look = (value: unknown, path: string, spelled: string, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        const own = Array.isArray(value) ? spelled : letters(key);
        if (dataFields.has(own)) continue;
        look(inner, path === '' ? key : `${path}.${key}`, own, depth + 1);
      }
      return;
    }
    if (handled.has(path)) return;
    const isText = typeof value === 'string';
    if ((isText && REFUSES.test(value.trim())) || refusesIn(spelled, value) || (isText && holdsRefusal(value))) {
      found.push({ field: path, value, refuses: true });
    } else if ((isText && ALLOWS.test(value.trim())) || (value === true && YES_FIELD.test(spelled))) {
      if (spelled !== 'continue') found.push({ field: path, value, refuses: false });
    } else if (value === false && NO_FIELD.test(spelled)) found.push({ field: path, value, refuses: false });
  };
  look(answer, '', '', 0);
  return found;
}

const CHANGED_INPUT =
  /^(updated?|new|modif(y|ied)|changed?|rewritten|replaced?|edit(ed)?)(tool)?(input|args|arguments|params|parameters)$/;
const ANY_INPUT = /^(tool)?(input|args|arguments|params|parameters)$/;

/**
 * A field beside those of an answer that must mean another input for the call, by its path. `own` are the paths at which
 * such a field is read; at those in `within`, names such as "input" mean it too.
 */
export function misspeltInput(
  answer: object,
  { own, within }: { own: ReadonlySet<string>; within: ReadonlySet<string> },
): string | undefined {
  const look = (value: object, path: string, depth: number): string | undefined => {
    for (const [key, inner] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`;
      if (own.has(at) || inner === undefined || inner === null) continue;
      const spelled = letters(key);
      if (CHANGED_INPUT.test(spelled) || wordSimilarity(spelled, 'updatedinput') >= 0.8) return at;
      if (within.has(path) && ANY_INPUT.test(spelled)) return at;
      if (dataFields.has(spelled) || typeof inner !== 'object' || depth > MAX_DEPTH) continue;
      const deeper = look(inner, at, depth + 1);
      if (deeper !== undefined) return deeper;
    }
    return undefined;
  };
  return look(answer, '', 0);
}

/** Whether an answer has fields, and none of them has a meaning here. */
export const isStray = (answer: object): boolean => {
  const fields = Object.keys(answer);
  return fields.length > 0 && fields.every((field) => !knownFields.has(field));
};

/** An object of a class as a plain one, with what it has by getters and from its class. Data stays as it is. */
export function plainAnswer(value: unknown, seen: ReadonlySet<object> = new Set()): unknown {
  if (typeof value !== 'object' || value === null || seen.has(value) || seen.size > MAX_DEPTH) return value;
  const within = new Set([...seen, value]);
  if (Array.isArray(value)) return value.map((each) => plainAnswer(each, within));
  const fields = new Set<string>();
  for (
    let part: object | null = value;
    part !== null && part !== Object.prototype;
    part = Object.getPrototypeOf(part)
  ) {
    for (const field of Object.getOwnPropertyNames(part)) if (field !== 'constructor') fields.add(field);
  }
  const entries = [...fields].map((field) => {
    const inner: unknown = Reflect.get(value, field);
    return [field, dataFields.has(letters(field)) ? inner : plainAnswer(inner, within)] as const;
  });
  return Object.fromEntries(entries.filter(([, inner]) => typeof inner !== 'function'));
}

/** A value as people are to see it in a message. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
