// Interprets text that should have been an answer: the output of a command, or the body of a response.
import type { HookEvent } from '../contract/hook.js';
import { parseJson, readJson } from '../platform/parse-json.js';
import { mentionsChangedInput, refusalOfInput } from './changed-input.js';
import { canRefuse, objection, objections, takesText } from './objection.js';
import { shown } from './plain-value.js';
import { holdsRefusal, isPlainRefusal, plainText, textRefuses } from './plain-verdicts.js';
import { type ReadAnswer, readValue } from './read-answer.js';

/** The body of a response. */
export function readBody(event: HookEvent, text: string, given?: string): ReadAnswer {
  if (text.trim() === '') return { failures: [], remarks: [] };
  const { value, problem } = readJson(text);
  if (problem === undefined) return readValue(event, value, given);
  if (textRefuses(text)) return readValue(event, text, given);
  const failure = `its answer is not JSON (${problem})`;
  return { failures: [failure], remarks: [], ...refusalOfMention(event, text, failure, given) };
}

interface Printed {
  /** Why it is not JSON, if it starts like JSON. */
  problem: string | undefined;
  /** The hook's input, as JSON. */
  given: string | undefined;
}

/** Text that is not an answer. If it means to refuse, an extra line around the JSON must not turn it into a yes. */
export function readText(event: HookEvent, text: string, { problem, given }: Printed): ReadAnswer {
  const answer: ReadAnswer = { failures: [], remarks: [] };
  if (takesText(event) && text !== '') answer.additionalContext = text;
  const holdsAnswer = /["'](?:hookSpecificOutput|permissionDecision|decision)["']\s*(?::|=>)/.test(plainText(text));
  if (problem !== undefined) answer.failures.push(`it printed something that starts like JSON but is not (${problem})`);
  else if (holdsAnswer) answer.failures.push('it printed something else before its JSON, so that it could not be read');
  if (canRefuse(event) && !takesText(event) && /^[["]/.test(text)) {
    const json = parseJson(text);
    if (json !== undefined) return readValue(event, json, given);
  }
  const refuses = takesText(event) ? isPlainRefusal(unquoted(text)) : text === 'false' || textRefuses(text);
  if (refuses && !holdsRefusal(text)) {
    delete answer.additionalContext;
    answer.failures.push(`it printed ${shown(text)}, where an answer is an object`);
    return { ...answer, ...objection(event, `it printed ${shown(text)}`) };
  }
  if (text === 'null') answer.failures.push('it printed null, where an answer is an object');
  if (canRefuse(event) && !takesText(event) && text.includes('\uFFFD')) {
    answer.failures.push('it printed bytes that are not text, so that they could not be read');
  }
  if (canRefuse(event) && holdsRefusal(text, { quoted: takesText(event) })) {
    delete answer.additionalContext;
    if (answer.failures.length === 0) answer.failures.push(notJson(text));
    return { ...answer, ...objection(event, 'its answer could not be read as JSON, but means to refuse') };
  }
  const refusal = refusalOfMention(event, text, answer.failures[0] ?? notJson(text), given);
  if (refusal && answer.failures.length === 0) answer.failures.push(notJson(text));
  return { ...answer, ...refusal };
}

const notJson = (text: string): string => `it printed ${shown(text)}, which can't be read as JSON`;

const unquoted = (text: string): unknown =>
  text === 'false' ? false : plainText(text).replace(/^(["'`])(.*)\1$/s, '$2');

/** A hook that wants another input does not want the original to run. */
function refusalOfMention(event: HookEvent, text: string, problem: string, given: string | undefined) {
  if (objections[event] !== 'denies' || !mentionsChangedInput(text, given)) return undefined;
  return refusalOfInput(event, `it changes the input, but ${problem}`);
}
