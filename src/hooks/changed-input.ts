// Finds an intended input change in an answer that is not in the proper format. A hook that wants another input does
// not want the original to run, even if its change can't be understood.
import { isDeepStrictEqual } from 'node:util';
import type { HookEvent } from '../contract/hook.js';
import { wordSimilarity } from '../platform/text/similar-text.js';
import type { HookReply } from './merge-answers.js';
import { dataFields, isStray, knownFields, plainText } from './plain-verdicts.js';
import { letters, type Place, pathOf, placesIn } from './walk-answer.js';

const CHANGED = '(?:updated?|new|modif(?:y|ied)|changed?|rewritten|replaced?|edit(?:ed)?)';
const INPUT = '(?:input|args|arguments|params|parameters)';
const CHANGED_INPUT = new RegExp(`^${CHANGED}(?:tool)?${INPUT}$`);
const ANY_INPUT = new RegExp(`^(?:tool)?${INPUT}$`);

/** A name in a text, which may be joined to others. Call data may mention `tool_input`, so that must be a field. */
const NAMED = new RegExp(`${CHANGED}[_-]?(?:tool)?[_-]?${INPUT}|tool[_-]?input(?:["'\`]?\\s*[:=>]|["'\`]\\s*$)`, 'i');
const MISSPELT = /(?<![a-z])upd[a-z_-]{6,14}/gi;
const SAME_NAME = 0.8;

/** Words are compared only if they share a part, since an answer may have very many. */
const isMisspelt = (spelled: string): boolean =>
  spelled.length > 8 &&
  spelled.length < 16 &&
  /upd|ate|din|put/.test(spelled) &&
  wordSimilarity(spelled, 'updatedinput') >= SAME_NAME;

/** Whether a text that is no valid answer mentions a changed input. `given` is the hook's input, which it may print. */
export function mentionsChangedInput(text: string, given?: string): boolean {
  const own = plainText(given === undefined || given === '' ? text : text.replaceAll(given, ''));
  return NAMED.test(own) || [...own.matchAll(MISSPELT)].some(([word]) => isMisspelt(letters(word)));
}

/** The consequence. A PermissionRequest hook answers nothing then, so that the person is asked. */
export const refusalOfInput = (event: HookEvent, problem: string): Pick<HookReply, 'behavior' | 'reason'> => ({
  behavior: event === 'PreToolUse' ? 'deny' : 'ask',
  reason: `${problem}. The answer of the hook must be corrected, not the call`,
});

interface Search {
  /** Paths at which a changed input is read. */
  own: ReadonlySet<string>;
  /** The hook's input, as JSON. */
  given: string | undefined;
}

/** In these places, names such as "input" and the names of the input's own fields mean it too. */
const within: ReadonlySet<string> = new Set(['', 'hookSpecificOutput', 'hookSpecificOutput.decision']);

/** The path of a value outside of the proper fields that must be meant as another input for the call. */
export function misplacedInput(answer: object, { own, given }: Search): string | undefined {
  const original = toolInput(given);
  const isOriginal = (value: unknown): boolean => original !== undefined && isDeepStrictEqual(value, original);
  const isOnlyStray = isStray(answer) && !Object.hasOwn(answer, 'hook_event_name'); // a field of the hook's input
  const isOwnField = ({ key, value, depth, parent }: Place): boolean => {
    if (!(depth === 1 ? isOnlyStray : depth === 2 && parent?.key === HOME) || knownFields.has(key)) return false;
    if (typeof original !== 'object' || original === null || !Object.hasOwn(original, key)) return false;
    return !isDeepStrictEqual(Reflect.get(original, key), value);
  };
  const isMentioned = ({ value, spelled }: Place): boolean =>
    typeof value === 'string' && !dataFields.has(spelled) && mentionsChangedInput(value, given);
  const isMeant = (place: Place): boolean => {
    const { spelled, value, depth, parent } = place;
    if (Array.isArray(parent?.value)) return isMentioned(place);
    if (CHANGED_INPUT.test(spelled) || isMisspelt(spelled)) return true;
    const isNamed = spelled === 'toolinput' || (depth < 4 && ANY_INPUT.test(spelled) && within.has(pathIn(parent)));
    if (isNamed) return !isOriginal(value);
    if (isOwnField(place)) return true;
    return isMentioned(place);
  };
  const enters = (place: Place): boolean => {
    if (place.value === undefined || place.value === null) return false;
    if (place.parent && dataFields.has(place.parent.spelled)) return false;
    return place.depth > 3 || !own.has(pathOf(place));
  };
  for (const place of placesIn(answer, enters)) if (isMeant(place)) return pathOf(place);
  return undefined;
}

const HOME = 'hookSpecificOutput';

const pathIn = (place: Place | undefined): string => (place ? pathOf(place) : '');

/** The call's input as the hook received it. */
export function toolInput(given: string | undefined): unknown {
  const input: unknown = given === undefined ? undefined : JSON.parse(given);
  return typeof input === 'object' && input !== null && 'tool_input' in input ? input.tool_input : undefined;
}
