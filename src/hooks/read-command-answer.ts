// Interprets how a command hook ended: its exit code, its output, and text that is no answer.
import type { HookEvent } from '../contract/hook.js';
import { messageOf } from '../platform/message-of.js';
import { canRefuse, objection, objections, takesText } from './objection.js';
import { holdsRefusal, isPlainRefusal, shown, textRefuses } from './plain-verdicts.js';
import { present, type ReadAnswer, readJsonAnswer, readValue } from './read-answer.js';

export interface CommandEnd {
  /** Null when a signal ended it. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Its output was truncated. */
  overflowed: boolean;
  /** It timed out and was stopped. */
  timedOut: boolean;
}

export function readCommandAnswer(event: HookEvent, end: CommandEnd): ReadAnswer {
  const printed = withoutAsyncMarker(end.stdout.replace(/^\uFEFF/, '').trim());
  const parsed = printed.startsWith('{') ? parseObject(printed) : undefined;
  const answer = parsed?.object ? readJsonAnswer(event, parsed.object) : readText(event, printed, parsed?.problem);
  if (end.timedOut) return refusalsOf(answer);
  if (end.exitCode === 2) return blocked(event, answer, end);

  if (end.overflowed) answer.failures.push('it printed more than 1 MB, and the rest was dropped');
  if (end.exitCode === null) answer.failures.push(`it was ended by ${end.signal ?? 'a signal'}`);
  else if (end.exitCode !== 0) {
    const ending = `it ended with exit code ${end.exitCode}${meaningOf(end.exitCode)}`;
    if (parsed?.object) answer.remarks.push(`${ending}, but printed an answer, which counts`);
    else {
      delete answer.additionalContext;
      answer.failures.unshift(`${ending}${said(end.stderr)}`);
    }
  }
  return answer;
}

export const firstLineOf = (text: string): string => text.trimStart().split('\n', 1)[0] ?? '';

/** The line by which a hook says that it continues in the background. */
export function isAsyncMarker(line: string): boolean {
  const { object } = line.trimStart().startsWith('{') ? parseObject(line) : {};
  return object !== undefined && present(object, 'async') === true;
}

/** What comes behind the marker is the answer, of which a decision comes too late. */
function withoutAsyncMarker(text: string): string {
  const line = firstLineOf(text);
  return isAsyncMarker(line) ? text.slice(text.indexOf(line) + line.length).trim() : text;
}

/** Of a hook that was stopped early, only a refusal that it had already printed counts. */
function refusalsOf({ behavior, reason, block, stop }: ReadAnswer): ReadAnswer {
  return {
    ...(behavior && behavior !== 'allow' && { behavior, ...(reason !== undefined && { reason }) }),
    ...(block && { block }),
    ...(stop && { stop }),
    failures: [],
    remarks: [],
  };
}

/** Exit code 2 refuses, whatever was printed. */
function blocked(event: HookEvent, answer: ReadAnswer, { stderr }: CommandEnd): ReadAnswer {
  const { behavior, reason, block, updatedInput: _, updatedOutput: __, ...rest } = answer;
  if (objections[event] === 'nothing') {
    return {
      ...rest,
      remarks: [...rest.remarks, `it ended with exit code 2, which stops nothing here${said(stderr)}`],
    };
  }
  const printedReason = behavior === 'deny' ? reason : block?.reason;
  const why = printedReason ?? reason ?? (stderr.trim() || 'it ended with exit code 2 and gave no reason');
  // Text beside the refusal was not meant for the model, and whether it is good JSON no longer matters.
  return { ...rest, ...objection(event, why), failures: [] };
}

const meaningOf = (exitCode: number): string =>
  exitCode === 127 ? ' (command not found)' : exitCode === 126 ? ' (not executable)' : '';

const said = (stderr: string): string => (stderr.trim() ? ` and said: ${stderr.trim()}` : '');

function parseObject(text: string): { object?: object; problem?: string } {
  const { json, problem } = parseJson(text);
  return problem === undefined ? { object: json as object } : { problem }; // with a brace first it can be nothing else
}

function parseJson(text: string): { json?: unknown; problem?: string } {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Text that is no answer. Where it means to refuse, an extra line around the JSON must not turn that into a yes. */
function readText(event: HookEvent, text: string, problem: string | undefined): ReadAnswer {
  const answer: ReadAnswer = { failures: [], remarks: [] };
  if (takesText(event) && text !== '') answer.additionalContext = text;
  const holdsAnswer = /["'](?:hookSpecificOutput|permissionDecision|decision)["']\s*:/.test(text);
  if (problem !== undefined) answer.failures.push(`it printed something that starts like JSON but is not (${problem})`);
  else if (holdsAnswer) answer.failures.push('it printed something else before its JSON, so that it could not be read');
  if (canRefuse(event) && !takesText(event) && /^[["]/.test(text)) {
    const { json } = parseJson(text);
    if (json !== undefined) return readValue(event, json);
  }
  const refuses = takesText(event) ? isPlainRefusal(unquoted(text)) : text === 'false' || textRefuses(text);
  if (refuses && !holdsRefusal(text)) {
    delete answer.additionalContext;
    answer.failures.push(`it printed ${shown(text)}, where an answer is an object`);
    return { ...answer, ...objection(event, `it printed ${shown(text)}`) };
  }
  if (text === 'null') answer.failures.push('it printed null, where an answer is an object');
  if (canRefuse(event) && holdsRefusal(text, { quoted: takesText(event) })) {
    delete answer.additionalContext;
    if (answer.failures.length === 0) answer.failures.push(`it printed ${shown(text)}, which can't be read as JSON`);
    return { ...answer, ...objection(event, 'its answer could not be read as JSON, but means to refuse') };
  }
  return answer;
}

const unquoted = (text: string): unknown => (text === 'false' ? false : text.replace(/^"(.*)"$/, '$1'));
