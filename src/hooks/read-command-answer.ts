// Interprets how a command hook ended: its exit code, its output, and text that is not an answer.
import type { HookEvent } from '../contract/hook.js';
import { parseJson, readJson } from '../platform/parse-json.js';
import { objection, objections } from './objection.js';
import { present, type ReadAnswer, readValue, refusalsOf, unreadable } from './read-answer.js';
import { readText } from './read-text.js';

export interface CommandEnd {
  /** Null if a signal ended it. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Its output was truncated. */
  overflowed: boolean;
  /** It timed out and was stopped. */
  timedOut: boolean;
  /** Its first line said that it continues in the background. That line was read when it arrived. */
  isInBackground?: boolean;
}

/** `given` is the hook's input, as JSON. */
export function readCommandAnswer(event: HookEvent, end: CommandEnd, given?: string): ReadAnswer {
  const text = end.stdout.replace(/^\uFEFF/, '').trim();
  if (event === 'WorktreeCreate' && !text.startsWith('{')) return readMadeFolder(end, text);
  const printed = end.isInBackground ? text.slice(firstLineOf(text).length).trim() : text;
  const { value: json, problem } = printed.startsWith('{') ? readJson(printed) : {};
  const isAnswer = json !== undefined;
  const answer = isAnswer ? readValue(event, json, given) : readText(event, printed, { problem, given });
  if (event === 'WorktreeCreate' && (end.exitCode !== 0 || end.timedOut)) return readMadeFolder(end, text);
  if (end.exitCode === 2 && !end.timedOut) return blocked(event, answer, end);
  if (end.overflowed) return cutOff(event, answer);
  if (end.timedOut) return refusalsOf(event, answer);

  if (end.exitCode === null) answer.failures.push(`it was ended by ${end.signal ?? 'a signal'}`);
  else if (end.exitCode !== 0) {
    const ending = `it ended with exit code ${end.exitCode}${meaningOf(end.exitCode)}`;
    if (isAnswer) answer.remarks.push(`${ending}, but printed an answer, which counts`);
    else {
      delete answer.additionalContext;
      answer.failures.unshift(`${ending}${said(end.stderr)}`);
    }
  }
  return answer;
}

/** The path of the folder that the hook has made is its last line. Any other end than success means that there is none. */
function readMadeFolder(end: CommandEnd, text: string): ReadAnswer {
  const { exitCode, signal, stderr } = end;
  if (exitCode === 0 && !end.timedOut && !end.overflowed) {
    const path = text.split('\n').at(-1)?.trim() ?? '';
    return { failures: [], remarks: [], ...(path !== '' && { worktreePath: path }) };
  }
  const ending = exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${exitCode}`;
  const why = end.timedOut ? 'did not end in time' : end.overflowed ? 'printed more than 1 MB' : ending;
  return { failures: [], remarks: [], block: { reason: `it ${why}${said(stderr)}` } };
}

export const firstLineOf = (text: string): string => text.trimStart().split('\n', 1)[0] ?? '';

/** The object by which a hook says that it continues in the background: its first line. */
export function asyncMarker(line: string): object | undefined {
  const json = line.trimStart().startsWith('{') ? parseJson(line) : undefined;
  return typeof json === 'object' && json !== null && present(json, 'async') === true ? json : undefined;
}

/** In a truncated answer, refusals count, and the missing part might have been one. */
function cutOff(event: HookEvent, answer: ReadAnswer): ReadAnswer {
  const { failures, remarks, ...cut } = unreadable(event, 'it printed more than 1 MB, and the rest was dropped');
  const refused = answer.behavior === 'deny' || answer.block !== undefined;
  const { updatedInput: _, additionalContext, ...rest } = answer;
  return {
    ...rest,
    ...(!refused && cut),
    ...(additionalContext !== undefined && !cut.block && { additionalContext }),
    failures: [...answer.failures, ...failures],
    remarks: [...answer.remarks, ...remarks],
  };
}

/** Exit code 2 refuses, regardless of the output. */
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
  // Other text was not meant for the model, and invalid JSON no longer matters.
  return { ...rest, ...objection(event, why), failures: [] };
}

const meaningOf = (exitCode: number): string =>
  exitCode === 127 ? ' (command not found)' : exitCode === 126 ? ' (not executable)' : '';

const said = (stderr: string): string => (stderr.trim() ? ` and said: ${stderr.trim()}` : '');
