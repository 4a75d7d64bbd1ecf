// Checks an answer that a client has sent. It goes back to the call that asked, which judges it like any other.
import { planOf } from '../agent/planning/plan-question.js';
import { mayAct } from '../contract/client-role.js';
import type { PermissionAnswer, PermissionQuestion } from '../contract/permission.js';
import type { Answer } from '../contract/question.js';
import type { OpenQuestion, QuestionAnswers } from '../host/open-questions.js';
import { isObject } from '../platform/is-object.js';
import { RpcError, rpcCodes } from './json-rpc.js';
import { type ClientIdentity, invalidParams, shown } from './read-params.js';

type KindOf = OpenQuestion['kind'];

/** The answer of a client, with its name for the audit log. */
export function readAnswer(
  asked: OpenQuestion,
  given: unknown,
  { actor, role }: ClientIdentity,
): { kind: KindOf; answer: QuestionAnswers[KindOf] } {
  switch (asked.kind) {
    case 'permission': {
      const answer = readPermission(given);
      const beyond = mayAct(role, 'run') ? undefined : beyondOffer(asked.question, answer);
      if (beyond === undefined) return { kind: asked.kind, answer: answeredBy(answer, actor) };
      throw new RpcError(
        rpcCodes.forbidden,
        `${beyond} needs the role run, but the client has ${role}, which may answer only as the question offers.`,
        { role, needed: 'run' },
      );
    }
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

/** What the answer decides beside the question, which would let a client run and allow anything; undefined if nothing. */
function beyondOffer(question: PermissionQuestion, answer: PermissionAnswer): string | undefined {
  if (answer.behavior === 'deny') return undefined;
  const { updatedInput, remember, mode } = answer;
  if (updatedInput !== undefined) return 'An answer that changes the call';
  if (mode !== undefined && planOf(question) === undefined) return 'An answer that changes the mode';
  const other = remember?.rules.find((rule) => !question.suggestions.includes(rule));
  return other === undefined ? undefined : `Remembering ${shown(other)}, which the question does not suggest,`;
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
