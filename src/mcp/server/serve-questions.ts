// Converts Helve's questions to forms that an MCP client can show, and back.

import type { Effect } from '../../contract/effect.js';
import type { PermissionAnswer, PermissionQuestion } from '../../contract/permission.js';
import type { Answer, Question } from '../../contract/question.js';
import type { DisplayBody } from '../../contract/tool.js';
import { isObject } from '../../platform/is-object.js';
import { clause } from '../../platform/text/clause.js';
import { cutMiddle } from '../../platform/text/truncate.js';
import { visible } from '../../platform/text/visible.js';
import type { InputRequests, InputResponses } from './client-requests.js';

const MAX_MESSAGE_CHARS = 6_000; // shown to a person in a dialog

/** A form in MCP's terms: flat, with primitive values. */
export interface QuestionForm {
  message: string;
  requestedSchema: {
    type: 'object';
    properties: Record<string, FormField>;
    required: string[];
  };
}

type FormField =
  | { type: 'string'; title: string; description?: string; enum?: string[] }
  | { type: 'array'; title: string; description?: string; items: { type: 'string'; enum: string[] } };

export interface FormAnswer {
  action: 'accept' | 'decline' | 'cancel';
  content?: Readonly<Record<string, unknown>> | undefined;
}

const QUESTION = 'question';

export const questionRequest = (form: QuestionForm): InputRequests => ({
  [QUESTION]: { method: 'elicitation/create', params: { mode: 'form', ...form } },
});

/** Clients may send anything; only a valid answer counts. */
export function answerIn(responses: InputResponses): FormAnswer {
  const { [QUESTION]: value } = responses;
  const { action, content }: { action?: unknown; content?: unknown } = isObject(value) ? value : {};
  if (action === 'accept') return { action, content: isObject(content) ? content : undefined };
  return { action: action === 'decline' ? 'decline' : 'cancel' };
}

const ONCE = 'allow once';
const SESSION = 'allow for this session';
const DENY = 'deny';

/** A question that is too long to be shown whole offers no "always". */
export function permissionForm(question: PermissionQuestion): QuestionForm {
  const { suggestions, tool, reason, display, effects, risks, confinement = '' } = question;
  const parts = [
    `${tool}: ${display.title}`,
    risks.map(({ level, text }) => `${level === 'high' ? '!!' : '!'} ${text}`).join('\n'),
    textOf(display.body),
    touched(effects),
    confinement,
    `Asked because ${clause(reason)}.`,
    suggestions.length > 0 ? `"${SESSION}" would allow: ${suggestions.join(', ')}` : '',
  ];
  const whole = visible(parts.filter((part) => part !== '').join('\n'));
  const message = cutMiddle(whole, MAX_MESSAGE_CHARS);
  const canRemember = suggestions.length > 0 && message === whole;
  return {
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        answer: { type: 'string', title: 'May this run?', enum: [ONCE, ...(canRemember ? [SESSION] : []), DENY] },
        reason: { type: 'string', title: 'If not: why, or what to do instead' },
      },
      required: ['answer'],
    },
  };
}

/** Only an explicit yes counts as yes. */
export function permissionAnswer({ action, content }: FormAnswer, question: PermissionQuestion): PermissionAnswer {
  const reason = textIn(content, 'reason');
  const denied: PermissionAnswer = { behavior: 'deny', ...(reason !== undefined && { reason }) };
  if (action !== 'accept') return denied;
  const answer = content?.['answer'];
  if (answer === DENY) return denied;
  if (answer === ONCE) return { behavior: 'allow' };
  const isOffered = permissionForm(question).requestedSchema.properties['answer'];
  if (answer === SESSION && isOffered && 'enum' in isOffered && isOffered.enum?.includes(SESSION)) {
    return { behavior: 'allow', remember: { rules: question.suggestions, scope: 'session' } };
  }
  throw new Error(`the client answered with ${JSON.stringify(answer) ?? 'nothing'}, which was not among the choices`);
}

/** Files by their real paths, since a path may be a symlink. */
function touched(effects: readonly Effect[]): string {
  const lines = effects.flatMap((effect) => {
    if (effect.kind === 'command') return [`runs ${effect.text}`];
    if (effect.kind === 'network') return [`reaches ${effect.url}`];
    if (effect.kind === 'unknown') return [`could touch anything: ${effect.why}`];
    if (effect.kind !== 'file') return [];
    const below = effect.tree ? ' and everything in it' : '';
    const leads = effect.real === effect.path ? '' : `, which is ${effect.real}`;
    return [`${effect.access === 'read' ? 'reads' : 'writes'} ${effect.path}${leads}${below}`];
  });
  return [...new Set(lines)].map((line) => `- ${line}`).join('\n');
}

function textOf(body: DisplayBody | undefined): string {
  if (!body) return '';
  if (body.type === 'list') return body.items.join('\n');
  if (body.type === 'todos') return body.items.map(({ content, status }) => `${status}: ${content}`).join('\n');
  return body.type === 'diff' ? body.patch : body.text;
}

/** A tool's own questions: the choices of each, and a field for other text. */
export function questionForm(questions: readonly Question[]): QuestionForm {
  const fields = questions.flatMap(({ question, options, multiSelect }, index): Array<[string, FormField]> => {
    const inWords = `words_${index + 1}`;
    if (options.length === 0) return [[inWords, { type: 'string', title: visible(question) }]]; // an empty enum is not a valid form
    const labels = options.map(({ label }) => label);
    const description = visible(options.map((option) => `${option.label}: ${option.description}`).join('\n'));
    const choice: FormField = multiSelect
      ? { type: 'array', title: visible(question), description, items: { type: 'string', enum: labels } }
      : { type: 'string', title: visible(question), description, enum: labels };
    return [
      [`answer_${index + 1}`, choice],
      [inWords, { type: 'string', title: 'Or in your own words' }],
    ];
  });
  return {
    message: cutMiddle(visible(questions.map(({ question }) => question).join('\n')), MAX_MESSAGE_CHARS),
    requestedSchema: { type: 'object', properties: Object.fromEntries(fields), required: [] },
  };
}

export function questionAnswers({ action, content }: FormAnswer, questions: readonly Question[]): Answer[] {
  return questions.map(({ options }, index) => {
    if (action !== 'accept') return { chosen: [] };
    const given = content?.[`answer_${index + 1}`];
    const chosen = (Array.isArray(given) ? given : [given]).filter((word) =>
      options.some(({ label }) => label === word),
    );
    const text = textIn(content, `words_${index + 1}`);
    return { chosen, ...(text !== undefined && { text }) };
  });
}

function textIn(content: FormAnswer['content'], name: string): string | undefined {
  const value = content?.[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
