// The questions of a session as requests to the client, and its answers. Nothing is decided here: an answer goes back
// to the call that asked, which judges it like any other.

import { planOf } from '../agent/planning/plan-question.js';
import type { PermissionAnswer, PermissionQuestion } from '../contract/permission.js';
import type { Answer, Question } from '../contract/question.js';
import type { OpenQuestion, TrustRequest } from '../host/open-questions.js';
import { visible } from '../platform/text/visible.js';
import { describeItem } from '../settings/covered-item.js';
import type { AcpToolCall, AcpToolContent } from './messages.js';
import { fieldsOf } from './read-params.js';
import { bodyContent, type CallFacts, kindOf, locationsOf, text, titleOf } from './tool-calls.js';

export type SendQuestion = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>;

interface PermissionOption {
  optionId: string;
  name: string;
  kind: 'allow_once' | 'allow_always' | 'reject_once';
}

const DENY: PermissionOption = { optionId: 'deny', name: 'Deny', kind: 'reject_once' };

export interface AskContext extends CallFacts {
  sessionId: string;
  ask: SendQuestion;
  /** The client shows forms. */
  hasForms: boolean;
}

export async function askPermission(question: PermissionQuestion, context: AskContext): Promise<PermissionAnswer> {
  const options = permissionOptions(question);
  const toolCall = permissionCall(question, context);
  const chosen = await choose(toolCall, options, context);
  return options.find(({ optionId }) => optionId === chosen)?.answer ?? { behavior: 'deny' };
}

type AnsweringOption = PermissionOption & { answer: PermissionAnswer };

function permissionOptions(question: PermissionQuestion): AnsweringOption[] {
  const { suggestions } = question;
  const deny: AnsweringOption = { ...DENY, answer: { behavior: 'deny' } };
  if (planOf(question) !== undefined) {
    return [
      { optionId: 'allow', name: 'Approve the plan', kind: 'allow_once', answer: { behavior: 'allow' } },
      {
        optionId: 'accept-edits',
        name: 'Approve the plan and accept edits',
        kind: 'allow_always',
        answer: { behavior: 'allow', mode: 'acceptEdits' },
      },
      { ...deny, name: 'Keep planning' },
    ];
  }
  const rules = visible(suggestions.join(', '));
  const remember = (scope: 'session' | 'always'): PermissionAnswer => ({
    behavior: 'allow',
    remember: { rules: suggestions, scope },
  });
  return [
    { optionId: 'allow', name: 'Allow once', kind: 'allow_once', answer: { behavior: 'allow' } },
    ...(suggestions.length === 0
      ? []
      : [
          {
            optionId: 'session',
            name: `Allow ${rules} in this session`,
            kind: 'allow_always' as const,
            answer: remember('session'),
          },
          {
            optionId: 'always',
            name: `Always allow ${rules} in this project`,
            kind: 'allow_always' as const,
            answer: remember('always'),
          },
        ]),
    deny,
  ];
}

function permissionCall(question: PermissionQuestion, { tools, root }: AskContext): AcpToolCall {
  const { callId, tool, input, effects, display, agent } = question;
  const title = titleOf(tool, display);
  return {
    toolCallId: callId,
    title: agent ? `${visible(agent.type)}: ${title}` : title,
    kind: kindOf(tool, display, effects, tools),
    status: 'pending',
    locations: locationsOf(effects),
    content: [...bodyContent(display, root), ...text(reasonWords(question))],
    rawInput: input,
  };
}

function reasonWords(question: PermissionQuestion): string {
  const { reason, risks, irreversible, confinement, suggestions, whyNoRule } = question;
  const lines = [
    ...(irreversible === undefined ? [] : [`Can't be undone: ${visible(irreversible)}.`, '']),
    `Helve asks because ${visible(reason)}.`,
    ...(risks.length === 0 ? [] : ['', ...risks.map((risk) => `- ${riskWords(risk)}`)]),
    ...(confinement === undefined ? [] : ['', visible(confinement)]),
    ...(suggestions.length > 0 || whyNoRule === undefined ? [] : ['', visible(whyNoRule)]),
  ];
  return lines.join('\n');
}

function riskWords({ level, text: words, undoable }: PermissionQuestion['risks'][number]): string {
  const undo =
    undoable === true ? 'can be undone' : undoable === 'perhaps' ? 'perhaps can be undone' : "can't be undone";
  return `${level === 'high' ? 'High risk' : 'Risk'}: ${visible(words)} (${undo})`;
}

/** Sends session/request_permission. Undefined if the client chose none of the options. */
async function choose(
  toolCall: AcpToolCall,
  options: readonly PermissionOption[],
  { sessionId, ask }: AskContext,
): Promise<string | undefined> {
  const plain = options.map(({ optionId, name, kind }) => ({ optionId, name, kind }));
  const answer = fieldsOf(await ask('session/request_permission', { sessionId, toolCall, options: plain }));
  const { outcome, optionId } = fieldsOf(answer['outcome']);
  return outcome === 'selected' && typeof optionId === 'string' ? optionId : undefined;
}

const MAX_TRUST_ITEMS = 100;

/** Whether the person trusts what the folder brings. */
export async function askForTrust(
  { report, instructions }: TrustRequest,
  questionId: string,
  context: AskContext,
): Promise<boolean> {
  const { folder, pending } = report;
  const items = pending.map(
    (item) => `- ${describeItem(item)}${item.file === undefined ? '' : ` (${visible(item.file)})`}`,
  );
  const more = items.length > MAX_TRUST_ITEMS ? [`- and ${items.length - MAX_TRUST_ITEMS} more`] : [];
  const words = [
    `Nothing of ${visible(folder)} that can run programs, relax rules or instruct the model applies before you trust it.`,
    ...(items.length === 0 ? [] : ['', 'It has these settings:', ...items.slice(0, MAX_TRUST_ITEMS), ...more]),
    ...(instructions.length === 0
      ? []
      : ['', 'The model would follow these files:', ...instructions.map((name) => `- ${visible(name)}`)]),
  ];
  const toolCall: AcpToolCall = {
    toolCallId: `trust-${questionId}`,
    title: `Trust the folder ${visible(folder)}?`,
    kind: 'other',
    status: 'pending',
    content: text(words.join('\n')),
  };
  const name = items.length === 0 ? 'Follow these instructions' : 'Trust this folder';
  // A client that approves everything by itself takes the first option that allows: that one trusts nothing.
  const options: PermissionOption[] = [
    { optionId: 'without', name: 'Continue without', kind: 'allow_once' },
    { optionId: 'trust', name, kind: 'allow_once' },
  ];
  return (await choose(toolCall, options, context)) === 'trust';
}

type Choices = Extract<OpenQuestion, { kind: 'choices' }>;

/** Answers to questions with choices: by a form if the client has them, else one after the other as options. */
export async function askChoices({ questions, callId, id }: Choices, context: AskContext): Promise<Answer[]> {
  const toolCallId = callId ?? `choices-${id}`;
  if (context.hasForms) return await askByForm(questions, callId, context);
  const answers: Answer[] = [];
  for (const [index, question] of questions.entries()) {
    answers.push(await askByOptions(question, `${toolCallId}${questions.length > 1 ? `-${index + 1}` : ''}`, context));
  }
  return answers;
}

/** A list of options has no free text, and one choice. */
async function askByOptions(
  { question, options, multiSelect }: Question,
  toolCallId: string,
  context: AskContext,
): Promise<Answer> {
  const words = options.map(({ label, description }) => `- ${visible(label)}: ${visible(description)}`);
  const content: AcpToolContent[] = text(
    [...words, ...(multiSelect ? ['', 'One can be chosen here.'] : [])].join('\n'),
  );
  const toolCall: AcpToolCall = { toolCallId, title: visible(question), kind: 'other', status: 'pending', content };
  const offered = options.map(({ label }, index) => ({
    optionId: `option-${index}`,
    name: visible(label),
    kind: 'allow_once' as const,
  }));
  const chosen = await choose(toolCall, [...offered, { ...DENY, name: 'No answer' }], context);
  const label = options.find((_, index) => `option-${index}` === chosen)?.label;
  return { chosen: label === undefined ? [] : [label] };
}

async function askByForm(
  questions: readonly Question[],
  toolCallId: string | undefined,
  { sessionId, ask }: AskContext,
): Promise<Answer[]> {
  const fields = questions.map((question, index) => ({ key: `answer${index + 1}`, question }));
  const answer = fieldsOf(
    await ask('elicitation/create', {
      mode: 'form',
      sessionId,
      ...(toolCallId !== undefined && { toolCallId }),
      message: visible(questions.map(({ question }) => question).join('\n')),
      requestedSchema: {
        type: 'object',
        properties: Object.fromEntries(fields.flatMap(({ key, question }) => formFields(key, question))),
      },
    }),
  );
  const content = answer['action'] === 'accept' ? fieldsOf(answer['content']) : {};
  return fields.map(({ key, question: { options } }) => {
    const given = content[key];
    const labels = options.map(({ label }) => label);
    const chosen = (Array.isArray(given) ? given : [given]).filter((label) => labels.includes(label));
    const own = content[`${key}_other`];
    return { chosen, ...(typeof own === 'string' && own.trim() !== '' && { text: own }) };
  });
}

function formFields(key: string, { question, header, options, multiSelect }: Question): Array<[string, unknown]> {
  const titled = options.map(({ label, description }) => ({ const: label, title: label, description }));
  const common = { title: header, description: question };
  return [
    [
      key,
      multiSelect
        ? { type: 'array', ...common, items: { anyOf: titled } }
        : { type: 'string', ...common, oneOf: titled },
    ],
    [`${key}_other`, { type: 'string', title: `${header}: other answer`, description: 'In your own words' }],
  ];
}
