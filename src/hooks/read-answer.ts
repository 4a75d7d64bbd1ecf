// Interprets the answer of a hook for its event, as an object or another value. A refusal counts in any place and form;
// an allow or a change counts only in its proper field.
import type { HookEvent } from '../contract/hook.js';
import type { Behavior } from '../contract/permission.js';
import { isObject } from '../platform/is-object.js';
import { messageOf } from '../platform/message-of.js';
import { mentionsChangedInput, misplacedInput, refusalOfInput } from './changed-input.js';
import { type HookReply, stricter } from './merge-answers.js';
import { canRefuse, objection, objections } from './objection.js';
import { plainAnswer, shown, tagOf, whyUnreadable } from './plain-value.js';
import { isPlainRefusal, isStray, strayVerdicts, textRefuses } from './plain-verdicts.js';

/** The answer of one hook, with its problems in words that follow "it". */
export interface ReadAnswer extends Omit<HookReply, 'name' | 'reports'> {
  /** The hook failed: `onFailure` applies. */
  failures: string[];
  /** Warnings about an answer that was understood. */
  remarks: string[];
}

/** An answer that can't be read completely might be a refusal: at events where a hook can refuse, it counts as one. */
export function unreadable(event: HookEvent, failure: string): ReadAnswer {
  const refusal = canRefuse(event) ? objection(event, `${failure}, so it might be a refusal`) : {};
  return { failures: [failure], remarks: [], ...refusal };
}

/** From a hook that was stopped early, only a refusal counts. */
export function refusalsOf(event: HookEvent, { behavior, reason, block, stop, updatedInput }: ReadAnswer): ReadAnswer {
  const changes = updatedInput !== undefined && event === 'PreToolUse' && behavior !== 'deny';
  return {
    ...(behavior && behavior !== 'allow' && { behavior, ...(reason !== undefined && { reason }) }),
    ...(changes &&
      refusalOfInput(event, 'it changes the input, but did not end in time, so that its answer does not count')),
    ...(block && { block }),
    ...(stop && { stop }),
    failures: [],
    remarks: [],
  };
}

/**
 * Reads the return value of a callback or the response of a server, which may be any value. `given` is the hook's
 * input, as JSON.
 */
export function readValue(event: HookEvent, value: unknown, given?: string): ReadAnswer {
  try {
    return readAnyValue(event, value, given);
  } catch (error) {
    return unreadable(event, `its answer can't be read (${messageOf(error)})`); // its getters may throw
  }
}

function readAnyValue(event: HookEvent, value: unknown, given: string | undefined): ReadAnswer {
  if (value instanceof Error) {
    const failures = [`its answer must be an object, but was an Error: ${value.message}`];
    return { failures, remarks: [], ...objection(event, `it answered with an Error: ${value.message}`) };
  }
  const why = whyUnreadable(value);
  if (why !== undefined) return unreadable(event, `its answer ${why}`);
  const output = plainAnswer(value);
  if (isObject(output)) return readJsonAnswer(event, output, given);
  const problem = `its answer must be an object, but was ${shown(output)}`;
  const answer: ReadAnswer = { failures: [problem], remarks: [] };
  const refuses =
    isPlainRefusal(output) ||
    (typeof output === 'string' && textRefuses(output)) ||
    (Array.isArray(output) && (output.some(isPlainRefusal) || strayVerdicts(output).some((one) => one.refuses)));
  if (refuses) return { ...answer, ...objection(event, `it answered ${shown(output)}`) };
  const changes =
    (typeof output === 'string' && mentionsChangedInput(output, given)) ||
    (Array.isArray(output) && misplacedInput(output, { own: new Set(), given }) !== undefined);
  if (!changes || objections[event] !== 'denies') return answer;
  return { ...answer, ...refusalOfInput(event, `it changes the input, but ${problem}`) };
}

/** The object that a command printed, a server sent or a callback returned. */
export function readJsonAnswer(event: HookEvent, output: object, given?: string): ReadAnswer {
  const answer: ReadAnswer = { failures: [], remarks: [] };
  const fields = fieldReader(answer.failures);
  const specific = fields.object(output, 'hookSpecificOutput') ?? {};
  const meant = fields.text(specific, 'hookEventName');
  const isForThis = meant === undefined || meant === event;
  if (!isForThis) answer.failures.push(`its "hookSpecificOutput" is for ${meant}, not for ${event}`);

  if (fields.flag(output, 'continue') === false || saysNo(present(output, 'continue'))) {
    const reason = fields.text(output, 'stopReason') ?? fields.text(output, 'reason') ?? 'a hook stopped the agent';
    answer.stop = { reason };
  }
  const message = fields.text(output, 'systemMessage');
  if (message) answer.message = message;
  readContext(answer, fields, output, specific);
  for (const field of unsupported) {
    if (present(output, field) === undefined && present(specific, field) === undefined) continue;
    answer.remarks.push(`its "${field}" is not supported here and was left out`);
  }

  if (objections[event] === 'denies') readJudgement(event, answer, fields, { output, specific, isForThis });
  else readObjection(event, answer, fields, output);
  if (objections[event] === 'denies') refuseUnusableInput(event, answer, output, given);
  readStray(event, answer, fields, output);
  if (event === 'PostToolUse' && isForThis) {
    const value = present(specific, 'updatedToolOutput') ?? present(specific, 'updatedMCPToolOutput');
    if (value !== undefined) answer.updatedOutput = { value };
  }
  if (event === 'WorktreeCreate' && isForThis) {
    const path = fields.text(specific, 'worktreePath');
    if (path !== undefined) answer.worktreePath = path;
  }
  // Code that only reads the behavior must not run a call that a hook stopped.
  if (answer.stop && objections[event] === 'denies') return { ...answer, behavior: 'deny', reason: answer.stop.reason };
  return answer;
}

function refuseUnusableInput(
  event: HookEvent,
  answer: Pick<HookReply, 'behavior' | 'reason' | 'updatedInput'> & { failures: string[] },
  output: object,
  given: string | undefined,
): void {
  const isPre = event === 'PreToolUse';
  const home = isPre ? 'hookSpecificOutput' : 'hookSpecificOutput.decision';
  const own = new Set(answer.updatedInput ? [`${home}.updatedInput`] : []);
  const field = misplacedInput(output, { own, given });
  if (field === undefined) return;
  const isHome = field === `${home}.updatedInput`;
  const value = field.split('.').reduce((part: unknown, key) => Reflect.get(Object(part), key), output);
  const misplaced = `its "${field}" can't be used: a changed input is "updatedInput" inside "${home}" for ${event}`;
  const unfit = `its "updatedInput" must be an object, but was ${shown(value)}`;
  // An object in the right place is unusable only if the envelope is of another event, which was already reported.
  const problem = !isHome ? misplaced : isPlainObject(value) ? (answer.failures[0] ?? misplaced) : unfit;
  if (!answer.failures.includes(problem)) answer.failures.push(problem);
  delete answer.updatedInput;
  if (answer.behavior === 'deny') return;
  Object.assign(answer, refusalOfInput(event, problem));
}

/** The paths at which verdicts are read. Elsewhere they have no meaning. */
const verdictPaths = {
  ofCalls: new Set([
    ...['continue', 'decision', 'permissionDecision', 'hookSpecificOutput.permissionDecision'],
    ...['hookSpecificOutput.decision', 'hookSpecificOutput.decision.behavior'],
  ]),
  ofOthers: new Set(['continue', 'decision']),
};

/** Reads unknown fields: a clear refusal in them counts, an allow does not, and an answer of only such fields is reported. */
function readStray(event: HookEvent, answer: ReadAnswer, fields: FieldReader, output: object): void {
  const isOfCall = objections[event] === 'denies';
  const mistakes = isOfCall ? answer.failures : answer.remarks;
  for (const { field, value, refuses } of strayVerdicts(output, verdictPaths[isOfCall ? 'ofCalls' : 'ofOthers'])) {
    const said = `its "${field}" is ${shown(value)}, which is not known here`;
    if (!refuses) mistakes.push(`${said}, so it allows nothing`);
    else if (objections[event] === 'nothing') answer.remarks.push(`${said} and stops nothing`);
    else if (answer.behavior !== 'deny' && answer.block === undefined) {
      const reason =
        fields.text(output, 'reason') ?? fields.text(output, 'message') ?? `its "${field}" is ${shown(value)}`;
      answer.failures.push(`${said}. ${refusalSyntax(event)}`);
      Object.assign(answer, objection(event, reason));
    }
  }
  if (answer.failures.length + answer.remarks.length > 0) return;
  const specific = present(output, 'hookSpecificOutput');
  const stray = isStray(output) ? output : isObject(specific) && isStray(specific) ? specific : undefined;
  if (!stray) return;
  const said = `its ${stray === output ? 'answer' : '"hookSpecificOutput"'} ${shown(stray)} has no field that is known here`;
  (canRefuse(event) ? answer.failures : answer.remarks).push(said);
}

function refusalSyntax(event: HookEvent): string {
  if (objections[event] !== 'denies') return 'A refusal is written {"decision": "block"}';
  const refusal = event === 'PreToolUse' ? '"permissionDecision": "deny"' : '"decision": {"behavior": "deny"}';
  return `A refusal is written {"hookSpecificOutput": {"hookEventName": "${event}", ${refusal}}}`;
}

const saysNo = (value: unknown): boolean => /^(false|no|off|0)$/i.test(String(value));

/** Fields that hooks of other systems may set. */
const unsupported = [
  ...['terminalSequence', 'sessionTitle', 'suppressOriginalPrompt', 'initialUserMessage', 'watchPaths'],
  ...['reloadSkills', 'classifierContext'],
];

function readContext(answer: ReadAnswer, fields: FieldReader, output: object, specific: object): void {
  const context = fields.text(specific, 'additionalContext');
  const misplaced = fields.text(output, 'additionalContext');
  if (misplaced) answer.remarks.push('its "additionalContext" belongs inside "hookSpecificOutput"');
  const texts = [context, misplaced].filter((text) => text);
  if (texts.length > 0) answer.additionalContext = texts.join('\n');
}

function readObjection(event: HookEvent, answer: ReadAnswer, fields: FieldReader, output: object): void {
  const word = present(output, 'decision');
  if (word === undefined) return;
  const reason = fields.text(output, 'reason');
  const behavior = behaviorOf(word);
  if (behavior === 'allow') return;
  if (behavior === undefined) {
    answer.failures.push(`its "decision" is ${shown(word)}, where only "block" has a meaning`);
    if (!canRefuse(event)) return;
  }
  const why = reason ?? (behavior ? 'the hook gave no reason' : 'its decision could not be understood');
  Object.assign(answer, objection(event, why));
}

interface Parts {
  output: object;
  specific: object;
  isForThis: boolean;
}

function readJudgement(
  event: HookEvent,
  answer: ReadAnswer,
  fields: FieldReader,
  { output, specific, isForThis }: Parts,
): void {
  const reason = fields.text(output, 'reason');
  const judge = (
    word: unknown,
    { field, why, belongs }: { field: string; why: string | undefined; belongs: boolean },
  ) => {
    if (word === undefined) return;
    const behavior = behaviorOf(word);
    if (behavior === undefined) answer.failures.push(`its "${field}" is ${shown(word)}; there are allow, ask and deny`);
    if (behavior === 'allow' && !belongs) {
      if (isForThis) answer.failures.push(`its "${field}" does not belong there for ${event}, so it allows nothing`);
      return;
    }
    if (!belongs && isForThis) {
      answer.remarks.push(`its "${field}" does not belong there for ${event}, but counts since it refuses`);
    }
    const meant = behavior ?? 'deny';
    if (stricter(answer.behavior, meant) === answer.behavior) return;
    answer.behavior = meant;
    const text = why ?? (behavior ? undefined : `its answer ${shown(word)} could not be understood`);
    if (text === undefined) delete answer.reason;
    else answer.reason = text;
  };

  const isPre = event === 'PreToolUse';
  const envelope = present(specific, 'decision');
  const request = typeof envelope === 'object' && !Array.isArray(envelope) ? (envelope as object) : undefined;
  const ownReason = fields.text(specific, 'permissionDecisionReason') ?? reason;
  judge(present(specific, 'permissionDecision'), {
    field: 'permissionDecision',
    why: ownReason,
    belongs: isPre && isForThis,
  });
  judge(present(output, 'permissionDecision'), {
    field: 'permissionDecision',
    why: fields.text(output, 'permissionDecisionReason') ?? reason,
    belongs: false,
  });
  judge(present(output, 'decision'), { field: 'decision', why: reason, belongs: true });
  if (request) {
    const why = fields.text(request, 'message') ?? reason;
    judge(present(request, 'behavior'), { field: 'decision.behavior', why, belongs: !isPre && isForThis });
    if (fields.flag(request, 'interrupt') === true && answer.behavior === 'deny') {
      answer.stop ??= { reason: why ?? 'a hook stopped the agent' };
    }
    if (present(request, 'updatedPermissions') !== undefined) {
      answer.remarks.push('its "updatedPermissions" are not supported and were left out');
    }
  } else judge(envelope, { field: 'hookSpecificOutput.decision', why: reason, belongs: false });

  const home = isPre ? specific : (request ?? {});
  const { updatedInput } = home as { updatedInput?: unknown };
  if (isForThis && isPlainObject(updatedInput)) answer.updatedInput = { ...updatedInput };
  if (present(specific, 'permissionDecision') === 'defer') {
    answer.remarks.push('it answered "defer", which is not supported; the person is asked instead');
  }
}

/** Not a Map or another object whose content is not in its fields. */
const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && tagOf(value) === '[object Object]';

function behaviorOf(word: unknown): Behavior | undefined {
  const spelled = typeof word === 'string' ? word.toLowerCase() : '';
  return Object.hasOwn(words, spelled) ? words[spelled] : undefined;
}

const words: Readonly<Record<string, Behavior>> = {
  allow: 'allow',
  approve: 'allow',
  ask: 'ask',
  defer: 'ask',
  deny: 'deny',
  block: 'deny',
};

/** Scripts print null for "nothing". */
export function present(object: object, field: string): unknown {
  const value: unknown = Object.hasOwn(object, field) ? Reflect.get(object, field) : undefined;
  return value === null || value === '' ? undefined : value;
}

interface FieldReader {
  text(object: object, field: string): string | undefined;
  flag(object: object, field: string): boolean | undefined;
  object(object: object, field: string): object | undefined;
}

function fieldReader(failures: string[]): FieldReader {
  const wrong = (field: string, expected: string, value: unknown): undefined => {
    const failure = `its "${field}" must be ${expected}, but was ${shown(value)}`;
    if (!failures.includes(failure)) failures.push(failure);
  };
  return {
    text(object, field) {
      const value = present(object, field);
      return value === undefined || typeof value === 'string' ? value : wrong(field, 'a string', value);
    },
    flag(object, field) {
      const value = present(object, field);
      return value === undefined || typeof value === 'boolean' ? value : wrong(field, 'true or false', value);
    },
    object(object, field) {
      const value = present(object, field);
      if (value === undefined || isObject(value)) return value;
      return wrong(field, 'an object', value);
    },
  };
}
