// Checks an answer that a client has sent. It goes back to the call that asked, which judges it like any other.
import type { PermissionAnswer } from '../contract/permission.js';
import type { Answer } from '../contract/question.js';
import type { OpenQuestion, QuestionAnswers } from '../host/open-questions.js';
import { isObject } from '../platform/is-object.js';
import { invalidParams, shown } from './read-params.js';

type KindOf = OpenQuestion['kind'];

/** `actor`: who answers, for the audit log. */
export function readAnswer(
  asked: OpenQuestion,
  given: unknown,
  actor: string | undefined,
): { kind: KindOf; answer: QuestionAnswers[KindOf] } {
  switch (asked.kind) {
    case 'permission':
      return { kind: asked.kind, answer: answeredBy(readPermission(given), actor) };
    case 'choices': {
      const answers = readChoices(given, asked.questions.length);
      return { kind: asked.kind, answer: answers.map((answer) => answeredBy(answer, actor)) };
    }
    case 'trust':
      if (typeof given === 'boolean') return { kind: asked.kind, answer: given };
      throw invalidParams(`"answer" must be true or false, but was ${shown(given)}.`);
  }
}

function readPermission(given: unknown): PermissionAnswer {
  const { behavior, reason, remember, updatedInput, mode, isUnanswered: _, ...rest } = isObject(given) ? given : {};
  // What the client meant by another field would be lost, and the call would run without it.
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw invalidParams(
      `"answer" has "behavior", "reason", "remember", "updatedInput" and "mode", but was given ${shown(unknown)}.`,
    );
  }
  if (mode !== undefined && mode !== 'default' && mode !== 'acceptEdits') {
    throw invalidParams(`"answer.mode" must be "default" or "acceptEdits", but was ${shown(mode)}.`);
  }
  if (behavior === 'deny') return { behavior, ...(typeof reason === 'string' && reason !== '' && { reason }) };
  if (behavior !== 'allow') {
    throw invalidParams(`"answer.behavior" must be "allow" or "deny", but was ${shown(behavior)}.`);
  }
  if (updatedInput !== undefined && !isObject(updatedInput)) {
    throw invalidParams(`"answer.updatedInput" must be an object, but was ${shown(updatedInput)}.`);
  }
  return {
    behavior,
    ...(updatedInput !== undefined && { updatedInput }),
    ...(remember !== undefined && { remember: readRemembered(remember) }),
    ...(mode !== undefined && { mode }),
  };
}

function readRemembered(given: unknown): { rules: readonly string[]; scope: 'session' | 'always' } {
  const { rules, scope } = isObject(given) ? given : {};
  const isRule = (rule: unknown): rule is string => typeof rule === 'string';
  if (Array.isArray(rules) && rules.every(isRule) && (scope === 'session' || scope === 'always')) {
    return { rules, scope };
  }
  throw invalidParams('"answer.remember" must have "rules", a list of texts, and "scope", "session" or "always".');
}

function readChoices(given: unknown, count: number): Answer[] {
  if (!Array.isArray(given) || given.length !== count) {
    throw invalidParams(`"answer" must be a list with an answer for each of the ${count} questions.`);
  }
  return given.map((one: unknown) => {
    const { chosen, text } = isObject(one) ? one : {};
    const labels = Array.isArray(chosen) ? chosen.filter((label): label is string => typeof label === 'string') : [];
    return { chosen: labels, ...(typeof text === 'string' && text !== '' && { text }) };
  });
}

/** The answer with the name of who gave it. */
export const answeredBy = <Given extends PermissionAnswer | Answer>(answer: Given, actor: string | undefined): Given =>
  actor === undefined ? answer : { ...answer, by: actor };
