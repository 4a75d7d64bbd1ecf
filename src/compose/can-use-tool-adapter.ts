import { demandClearYes } from '../calls/clear-yes.js';
import type { CanUseTool, ToolPermission } from '../contract/can-use-tool.js';
import type { AskPermission } from '../contract/permission.js';
import { type AskUser, answerFrom } from '../contract/question.js';
import { randomId } from '../platform/crypto.js';
import { QUESTION_TOOL } from '../tools/roles.js';

/** Asks `canUseTool` in place of `askPermission`. */
export const askingBy =
  (canUseTool: CanUseTool): AskPermission =>
  async (question, signal) => {
    const { tool, input, callId, effects, risks, reason, suggestions, confinement, agent } = question;
    const more = { ...(confinement !== undefined && { confinement }), ...(agent && { agent }) };
    const about = { callId, effects, risks, reason, suggestions, signal, ...more };
    // An input that is asked about has passed a schema, and all of them describe objects.
    const answer = answered(await canUseTool(tool, input as Readonly<Record<string, unknown>>, about));
    if (answer.behavior === 'deny') {
      return { behavior: 'deny', ...(answer.message !== undefined && { reason: answer.message }) };
    }
    demandClearYes(answer, input, 'canUseTool');
    const { updatedInput, allowRules = [] } = answer;
    return {
      behavior: 'allow',
      ...(updatedInput && { updatedInput }),
      ...(allowRules.length > 0 && { remember: { rules: allowRules, scope: 'session' as const } }),
    };
  };

/** Asks `canUseTool` in place of `askUser`: questions with choices take the form of a tool call. A refusal leaves them open. */
export const answeringBy =
  (canUseTool: CanUseTool): AskUser =>
  async (questions, signal, asked) => {
    const callId = asked?.callId ?? `question_${randomId()}`;
    const about = { callId, effects: [], risks: [], reason: 'the model has questions', suggestions: [], signal };
    const answer = answered(await canUseTool(QUESTION_TOOL, { questions }, about));
    if (answer.behavior === 'deny') {
      return questions.map(() => ({ chosen: [], ...(answer.message !== undefined && { text: answer.message }) }));
    }
    const { answers } = answer.updatedInput ?? {};
    const given: Readonly<Record<string, unknown>> = typeof answers === 'object' ? { ...answers } : {};
    return questions.map((question) => answerFrom(question, given[question.question]));
  };

/** A program without types may answer anything. An error that is thrown here denies the call. */
function answered(answer: ToolPermission | undefined): ToolPermission {
  if (answer?.behavior !== 'allow' && answer?.behavior !== 'deny') {
    throw new TypeError('canUseTool must answer with an object that has the behavior "allow" or "deny".');
  }
  if (answer.behavior === 'allow' && !Array.isArray(answer.allowRules ?? [])) {
    throw new TypeError('the allowRules that canUseTool answers with must be a list.');
  }
  return answer;
}
